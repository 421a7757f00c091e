/** Secrets that went through a terminal, and their removal from whatever it shows again. They live only as long as the terminal. */

/** Hiding a character or two would only spoil the text, and hide nothing. */
const shortest = 4;
const longest = 1024;

export class HiddenText {
  readonly #secrets: string[] = [];
  #typing: string | undefined;

  add(secrets: readonly string[]): void {
    for (const secret of secrets) if (secret.length >= shortest && !this.#secrets.includes(secret)) this.#secrets.push(secret);
    // The longest first: one secret may be part of another.
    this.#secrets.sort((a, b) => b.length - a.length);
  }

  /** What a person types at a password prompt is a secret too, once its line is complete. */
  typed(text: string, atPasswordPrompt: boolean): void {
    if (atPasswordPrompt) this.#typing ??= "";
    for (const character of text) {
      if (this.#typing === undefined) return;
      if (character === "\r" || character === "\n") {
        this.add([this.#typing]);
        this.#typing = undefined;
      } else if (character === "\x7f") this.#typing = this.#typing.slice(0, -1);
      else if (this.#typing.length < longest) this.#typing += character;
    }
  }

  endTyping(): void {
    this.#typing = undefined;
  }

  hide(text: string): string {
    return this.#secrets.reduce((rest, secret) => rest.replaceAll(secret, "[hidden]"), text);
  }
}
