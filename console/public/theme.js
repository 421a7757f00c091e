// Sets theme, language and density before the first paint, so that nothing flashes.
(() => {
  const root = document.documentElement;
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem("karyi.settings") ?? "{}");
  } catch {
    // Storage may be closed; the defaults hold.
  }
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = kept.theme === "light" || kept.theme === "dark" ? kept.theme : dark ? "dark" : "light";
  const wantsChinese = /^zh\b/i.test(navigator.language);
  root.dataset.theme = theme;
  root.dataset.density = kept.density === "compact" ? "compact" : "comfortable";
  root.lang = kept.language === "zh" || kept.language === "en" ? kept.language : wantsChinese ? "zh" : "en";
})();
