/**
 * From text to the words a search compares: splitting of identifiers, stop words, stems.
 * Knows letters and endings; what words mean is the business of the concepts.
 */

const stopWords = new Set(
  (
    "a about am an and any anyone are as at be because been being but by can could d did do does doing down each else for from had has have having he her " +
    "here hers him his i if in into is it its itself just ll m me might mine more most much must my no not of off on one only onto or other our " +
    "ours out over own please re s same shall she should so some someone somebody something such t than that the their theirs them then there " +
    "these they thing things this those through to too under up us ve very want wants was we were what which while whose why " +
    "will with within without would yet you your yours also via using use used uses etc eg ie like need needs help able available given " +
    "specific specified certain various existing based including optionally optional returns return everything everyone everybody anything nothing " +
    "nobody way give let tell yes ok okay how s"
  ).split(" "),
);

/** Words of a question that say little about which tool is meant: light verbs, times, numbers, qualities. */
const lightWords = new Set(
  (
    "get make show find put take go see look say know have do give list check be set come keep bring way good new start last next first second " +
    "today tomorrow yesterday tonight morning evening week weekend month year day monday tuesday wednesday thursday friday saturday sunday now later " +
    "soon still already again before after until since once always never two three four five six seven eight nine ten hundred many lot few all every " +
    "whole fresh real who whom where when provide information offer assist interested understand ensure easily simple possible currently particular several multiple different related additionally detailed comprehensive overview latest recent person people big small great best better really actually maybe quickly fast general thing stuff kind try work place up ready current together"
  ).split(" "),
);

const irregular: Readonly<Record<string, string>> = Object.fromEntries(
  (
    "sent:send bought:buy paid:pay made:make found:find wrote:write written:write sold:sell took:take taken:take went:go gone:go got:get people:person " +
    "children:child slept:sleep spoke:speak spoken:speak ran:run drew:draw drawn:draw hid:hide hidden:hide built:build shown:show gave:give " +
    "known:know knew:know said:say told:tell ate:eat eaten:eat drove:drive flew:fly flown:fly chose:choose chosen:choose broke:break broken:break " +
    "stole:steal stolen:steal spent:spend kept:keep lost:lose met:meet heard:hear feet:foot indices:index bigger:big biggest:big cheaper:cheap " +
    "cheapest:cheap latest:latest newest:latest nearest:near closest:near fastest:fast highest:high lowest:low longest:long oldest:old largest:large " +
    "smallest:small held:hold hung:hang grew:grow grown:grow began:begin begun:begin thought:think caught:catch taught:teach lent:lend woke:wake " +
    "colours:color colour:color coloured:color favourite:favorite organisation:organization licence:license e-mail:email grey:gray centre:center " +
    "kilometres:kilometer kilometre:kilometer metres:meter metre:meter analysis:analyze analyses:analyze analysing:analyze analyse:analyze " +
    "summary:summarize summaries:summarize summarise:summarize translation:translate transcription:transcribe subscription:subscribe " +
    "subscriptions:subscribe prescription:prescription recognise:recognize organise:organize customer:customer customers:customer " +
    "computer:computer computers:computer weather:weather number:number numbers:number letter:letter folder:folder folders:folder " +
    "news:news status:status data:data address:address addresses:address access:access process:process series:series sms:sms dns:dns aws:aws " +
    "css:css ios:ios iss:iss https:http meeting:meeting meetings:meeting building:building spring:spring media:media string:string strings:string " +
    "bus:bus buses:bus gas:gas lens:lens virus:virus canvas:canvas photos:photo booking:booking bookings:booking listing:listing listings:listing " +
    "setting:setting settings:setting request:request requests:request payment:payment payments:payment paper:paper papers:paper speed:speed feed:feed feeds:feed " +
    "training:training trainings:training server:server servers:server shares:shares production:production browser:browser browsers:browser " +
    "container:container containers:container author:author authors:author factor:factor factors:factor summer:summer banner:banner flower:flower " +
    "flowers:flower shower:shower writer:writer conversation:conversation conversations:conversation station:station stations:station " +
    "question:question questions:question version:version versions:version position:position positions:position session:session sessions:session"
  )
    .split(" ")
    .map((pair) => pair.split(":")),
);

const keepsMent = new Set(
  "document comment element segment moment environment apartment department argument instrument experiment supplement equipment statement fragment".split(
    " ",
  ),
);

const hasVowel = /[aeiouy]/;
/** Ends consonant, vowel, consonant: the silent `e` after it makes another word (`plan`, `plane`). */
const shortSyllable = /[^aeiou][aeiouy][^aeiouywx]$/;
const stems = new Map<string, string>();
/** Words of the world are endless and this room lives long; the memory of stems is not. */
const maxStems = 50_000;

export function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const result = computeStem(word);
  if (stems.size >= maxStems) stems.clear();
  stems.set(word, result);
  return result;
}

function computeStem(word: string): string {
  const fixed = Object.hasOwn(irregular, word) ? irregular[word] : undefined;
  let w = fixed ?? word;
  if (fixed === word) return tail(w);
  if (w.length <= 3) return w;
  if (w.endsWith("ies") && w.length > 4) w = `${w.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(w)) w = w.slice(0, -2);
  else if (w.endsWith("s") && !/(?:ss|us|is)$/.test(w)) w = w.slice(0, -1);
  const again = Object.hasOwn(irregular, w) ? irregular[w] : undefined;
  if (again !== undefined) return tail(again);
  if (w.endsWith("ing") && w.length > 5 && hasVowel.test(w.slice(0, -3))) w = whole(w.slice(0, -3));
  else if (w.endsWith("ed") && !w.endsWith("eed") && w.length > 4 && hasVowel.test(w.slice(0, -2))) w = whole(w.slice(0, -2));
  if (w.endsWith("ification")) w = w.slice(0, -6);
  else if (w.endsWith("ation") && w.length > 7) w = w.slice(0, -3);
  else if (/[ts]ion$/.test(w) && w.length > 5) w = w.slice(0, -3);
  else if (w.endsWith("ment") && w.length > 6 && !keepsMent.has(w)) w = w.slice(0, -4);
  else if (w.endsWith("ally") && w.length > 7) w = w.slice(0, -4);
  else if (w.endsWith("ly") && w.length > 5) w = w.slice(0, -2);
  else if (/(?:[^e]er|or)$/.test(w) && w.length > 5) w = undouble(w.slice(0, -2));
  return tail(w);
}

function undouble(w: string): string {
  return /([bdgmnprt])\1$/.test(w) ? w.slice(0, -1) : w;
}

/** After `-ing` and `-ed`: `runn` was `run`, `writ` was `write`. */
function whole(w: string): string {
  const single = undouble(w);
  if (single !== w) return single;
  return shortSyllable.test(w) && (w.match(/[aeiouy]+/g) ?? []).length === 1 ? `${w}e` : w;
}

function tail(w: string): string {
  if (w.length > 3 && w.endsWith("y") && !/[aeiou]y$/.test(w)) return `${w.slice(0, -1)}i`;
  if (w.endsWith("e") && (w.length > 5 || (w.length === 5 && !shortSyllable.test(w.slice(0, -1))))) return w.slice(0, -1);
  return w;
}

const cjk = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]/u;
const cjkRun = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]+/gu;

export function hasCjk(text: string): boolean {
  return cjk.test(text);
}

export function cjkRuns(text: string): readonly string[] {
  return text.match(cjkRun) ?? [];
}

/** Chinese, Japanese and Korean have no spaces: two neighbours at a time stand for words. */
export function bigrams(run: string): readonly string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, at) => `${characters[at] ?? ""}${character}`);
}

/** Lower-case words in the order of the text, numbers left out; `createIssue`, `create_issue` and `mcp__x__create-issue` give the same. */
export function words(text: string): readonly string[] {
  if (!beyondAscii.test(text)) return asciiWords(text);
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2");
  const plain = spaced
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .normalize("NFC");
  const found = plain.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return found.filter((word) => !/^\d+$/.test(word) && !cjk.test(word)).map(timeOfDay);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII is meant
const beyondAscii = /[^\u0000-\u007f]/;

/** Nearly all text is plain, and an index reads a lot of it: one pass over the character codes. */
function asciiWords(text: string): readonly string[] {
  const lower = text.toLowerCase();
  const found: string[] = [];
  let start = -1;
  let letters = false;
  const close = (end: number) => {
    if (start >= 0 && letters) found.push(timeOfDay(lower.slice(start, end)));
    start = -1;
    letters = false;
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const upper = isUpper(code);
    const letter = upper || isLower(code);
    if (!letter && !isDigit(code)) {
      close(at);
      continue;
    }
    if (upper && start >= 0 && (!isUpper(text.charCodeAt(at - 1)) || isLower(text.charCodeAt(at + 1)))) close(at);
    if (start < 0) start = at;
    letters ||= letter;
  }
  close(text.length);
  return found;
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isLower(code: number): boolean {
  return code >= 97 && code <= 122;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** `9am` is a time of day, whichever. */
function timeOfDay(word: string): string {
  const first = word.charCodeAt(0);
  return isDigit(first) && word.length <= 4 && /^\d{1,2}[ap]m$/.test(word) ? "oclock" : word;
}

export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}

export function isLightWord(word: string): boolean {
  return lightWords.has(word);
}
