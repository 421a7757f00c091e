/** Tilde expansion: `~`, `~/x`, `~user/x`, and the same after the `=` of what looks like an assignment. */

const assignmentTilde = /^([A-Za-z_][A-Za-z0-9_]*\+?=)(~.*)$/s;

interface Homes {
  home(user: string): string | undefined;
}

/** `whole`: nothing follows this text in its word. */
export function expandTilde(source: string, value: string, whole: boolean, scope: Homes): string {
  if (source.startsWith("~")) return tildePrefix(source, value, whole, scope);
  const match = assignmentTilde.exec(source);
  if (match === null) return value;
  const [, head = "", rest = ""] = match;
  if (!value.startsWith(head)) return value;
  return head + tildePrefix(rest, value.slice(head.length), whole, scope);
}

function tildePrefix(source: string, value: string, whole: boolean, scope: Homes): string {
  const match = /^~([A-Za-z0-9_.+-]*)(\/|:|$)/.exec(source);
  if (match === null) return value;
  const [, user = "", end] = match;
  if (end === "" && !whole) return value;
  const home = scope.home(user);
  if (home === undefined) return value;
  const rest = value.slice(1 + user.length);
  // Further directories of a list such as `a=~/x:~/y`.
  return home + rest.replace(/:~(?=\/|:|$)/g, () => `:${scope.home("") ?? "~"}`);
}
