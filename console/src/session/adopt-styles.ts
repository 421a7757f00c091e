/**
 * Styles that a library puts into `<style>` elements, made to count under a policy that blocks them: their text is
 * adopted as style sheets of the document, and again whenever it changes.
 */
export function adoptStyles(root: HTMLElement | null): () => void {
  if (root === null) return () => {};
  const sheets = new Map<HTMLStyleElement, CSSStyleSheet>();
  const adopt = (): void => {
    for (const style of root.querySelectorAll("style")) {
      const known = sheets.get(style) ?? new CSSStyleSheet();
      known.replaceSync(style.textContent ?? "");
      sheets.set(style, known);
    }
    const others = document.adoptedStyleSheets.filter((sheet) => ![...sheets.values()].includes(sheet));
    document.adoptedStyleSheets = [...others, ...sheets.values()];
  };
  adopt();
  const observer = new MutationObserver((changes) => {
    if (changes.some(({ target }) => target instanceof HTMLStyleElement || target.parentNode instanceof HTMLStyleElement)) adopt();
    else if (root.querySelectorAll("style").length !== sheets.size) adopt();
  });
  observer.observe(root, { childList: true, characterData: true, subtree: true });
  return () => {
    observer.disconnect();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => ![...sheets.values()].includes(sheet));
  };
}
