/**
 * Owns the weighing of legacy encodings: each candidate decodes the sample, and the one whose text looks most
 * like writing wins. Statistics alone fail on source code, where a file holds a handful of such characters.
 * A guess, and it says how sure it is.
 */
import { loadTables, type TextEncoding } from "./codec.ts";
import { decode1252 } from "./windows-1252.ts";

export interface Judgement {
  readonly encoding: TextEncoding;
  readonly confidence: number;
}

/** Characters that are frequent in prose and in comments. */
const simplified = new Set(
  "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处世车价错误测试编码配置名称用户返回参数字符串输类型默认检查注释修改添删除读写示例不存对象请单界值显保" +
    "，。：；！？、（）“”《》",
);
const traditional = new Set(
  "的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分對成會可主發年動同工也能下過子說產種面而方後多定行學法所民得經十三之進著等部度家電力裡如水化高自二理起小物現實加量都兩體制機當使點從業本去把性好應開它合還因由其些然前外天政四日那社義事平形相全表間樣與關各重新線內數正心反你明看原又麼利比或但質氣第向道命此變條只沒結解問意建月公無系軍很情者最立代想已通並提直題程展五果料象員革位入常文總次品式活設及管特件長求老頭基資邊流路級少圖山統接知較將組見計別她手角期根論運農指幾九區強放決西被幹做必戰先回則任取據處世車價錯誤測試編碼配置名稱用戶返回參數字符串輸類型默認檢查註釋修改添刪除讀寫示例不存對象請單界值顯保檔案訊息設定使用者資料" +
    "，。：；！？、（）「」《》",
);
const hangul = new Set(
  "이다는을가에의고하지로기를사은도서리어자대인한시스일보나수정해있그들것라부전제아만으면주원구성과상여동장조신문경비용우공교안마진유연미소방선생되할니까세요습합입파름설확실행류오테트코드정값함추삭저출력읽쓰",
);

interface Candidate {
  readonly encoding: TextEncoding;
  /** Points of one character beyond ASCII. `bytes` is its spelling. */
  points(character: string, lead: number, trail: number): number;
}

const isKana = (code: number): boolean => code >= 0x3041 && code <= 0x30ff;
const isIdeograph = (code: number): boolean => code >= 0x4e00 && code <= 0x9fff;
const isWidePunctuation = (code: number): boolean => (code >= 0x3000 && code <= 0x3020) || (code >= 0xff01 && code <= 0xff5e);

const japanese = (character: string, isCommonKanji: boolean): number => {
  const code = character.charCodeAt(0);
  if (isKana(code)) return 2.5;
  if (isIdeograph(code)) return isCommonKanji ? 1.4 : -1;
  if (isWidePunctuation(code)) return 1.5;
  if (code >= 0xff61 && code <= 0xff9f) return 0.2;
  return -1;
};

const candidates: readonly Candidate[] = [
  {
    encoding: "gb18030",
    points(character, lead, trail) {
      const code = character.charCodeAt(0);
      if (simplified.has(character)) return 3;
      // The first plane of GB 2312 is ordered by use: the common characters are in rows B0 to D7.
      if (isIdeograph(code)) return trail < 0xa1 ? -1 : lead >= 0xb0 && lead <= 0xd7 ? 1.4 : -0.5;
      return isWidePunctuation(code) ? 1.5 : -1;
    },
  },
  {
    encoding: "big5",
    points(character, lead) {
      const code = character.charCodeAt(0);
      if (traditional.has(character)) return 3;
      if (isIdeograph(code)) return lead >= 0xa4 && lead <= 0xc6 ? 1.4 : -0.5;
      return isWidePunctuation(code) ? 1.5 : -1;
    },
  },
  { encoding: "shift_jis", points: (character, lead) => japanese(character, lead >= 0x88 && lead <= 0x97) },
  {
    encoding: "euc-kr",
    points(character, lead, trail) {
      const code = character.charCodeAt(0);
      if (hangul.has(character)) return 3;
      if (code >= 0xac00 && code <= 0xd7a3) return lead >= 0xb0 && lead <= 0xc8 && trail >= 0xa1 ? 1.4 : -1;
      return isWidePunctuation(code) ? 0.5 : -1;
    },
  },
  // Its hiragana are the byte pairs of common Big5 characters: it needs more to win.
  { encoding: "euc-jp", points: (character, lead) => 0.9 * japanese(character, lead >= 0xb0 && lead <= 0xcf) },
];

/** `sample` holds bytes beyond ASCII and is not UTF-8. */
export async function judgeLegacy(sample: Uint8Array): Promise<Judgement> {
  const bytes = Buffer.from(sample.buffer, sample.byteOffset, sample.byteLength);
  const iconv = await loadTables();
  const votes = await statisticalVotes(sample);
  const scores = new Map<TextEncoding, number>([["windows-1252", latinScore(bytes)]]);
  for (const candidate of candidates) {
    const score = scoreWide(bytes, candidate, (unit) => iconv.decode(unit, candidate.encoding));
    scores.set(candidate.encoding, score + (votes.get(candidate.encoding) ?? 0));
  }
  for (const encoding of ["windows-1251", "koi8-r"] as const) scores.set(encoding, cyrillicScore(iconv.decode(bytes, encoding)));
  const ranked = [...scores].sort((a, b) => b[1] - a[1]);
  const [best, second] = ranked;
  // Nothing looks like text: the encoding that holds any byte.
  if (best === undefined || best[1] <= 0) return { encoding: "windows-1252", confidence: 0.1 };
  const lead = best[1] - Math.max(0, second?.[1] ?? 0);
  return { encoding: best[0], confidence: Math.min(0.99, 0.5 + lead / 3) };
}

/** The library's opinion counts where it had enough to count. */
async function statisticalVotes(sample: Uint8Array): Promise<ReadonlyMap<TextEncoding, number>> {
  const { analyse } = await import("chardet");
  const names: Readonly<Record<string, TextEncoding>> = {
    GB18030: "gb18030",
    Big5: "big5",
    Shift_JIS: "shift_jis",
    "EUC-KR": "euc-kr",
    "EUC-JP": "euc-jp",
  };
  const votes = new Map<TextEncoding, number>();
  for (const match of analyse(sample)) {
    const encoding = names[match.name];
    if (encoding !== undefined && match.confidence >= 50) votes.set(encoding, match.confidence / 100);
  }
  return votes;
}

/** Average points for each byte beyond ASCII (trail bytes included). */
function scoreWide(bytes: Buffer, candidate: Candidate, decode: (unit: Buffer) => string): number {
  const known = new Map<number, number>();
  let points = 0;
  let used = 0;
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) {
      at += 1;
      continue;
    }
    const length = unitLength(candidate.encoding, bytes, at);
    // Cut off at the end of the sample.
    if (at + length > bytes.length) break;
    const trail = bytes[at + 1] ?? 0;
    const key = length === 1 ? lead : (lead << 8) | trail;
    let value = length > 2 ? 0 : known.get(key);
    if (value === undefined) {
      const text = decode(bytes.subarray(at, at + length));
      value = [...text].length !== 1 || text === "\uFFFD" ? -6 : candidate.points(text, lead, trail);
      known.set(key, value);
    }
    points += value;
    used += length;
    at += length;
  }
  return used === 0 ? 0 : points / used;
}

function unitLength(encoding: TextEncoding, bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  const trail = bytes[at + 1] ?? 0;
  if (encoding === "shift_jis" && lead >= 0xa1 && lead <= 0xdf) return 1;
  if (encoding === "gb18030") return lead === 0x80 ? 1 : trail >= 0x30 && trail <= 0x39 ? 4 : 2;
  if (encoding === "euc-jp") return lead === 0x8f ? 3 : 2;
  return 2;
}

const isAsciiLetter = (byte: number): boolean => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
const latinSigns = new Set("€‚„…†‡‰‹‘’“”•–—™›¡£§©«®°±²³µ¶·»½¿¼¾ºª´\u00a0");

/** Accented letters stand inside words of plain ones; signs stand where they like. */
function latinScore(bytes: Buffer): number {
  const text = decode1252(bytes);
  let points = 0;
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if ((bytes[at] ?? 0) < 0x80) continue;
    count += 1;
    const character = text.charAt(at);
    const before = bytes[at - 1] ?? 0;
    const after = bytes[at + 1] ?? 0;
    const isLetter = /\p{L}/u.test(character) && character !== "º" && character !== "ª";
    if (isLetter) points += isAsciiLetter(before) || isAsciiLetter(after) ? 1.2 : before < 0x80 && after < 0x80 ? 0.6 : -0.5;
    else points += latinSigns.has(character) ? (before >= 0x80 && after >= 0x80 ? -0.2 : 1) : -1.5;
  }
  return count === 0 ? 0 : points / count;
}

/** Cyrillic words are lower case after their first letter; the wrong code page swaps case or mixes in signs. */
function cyrillicScore(text: string): number {
  let points = 0;
  let count = 0;
  let previous = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) {
      count += 1;
      const isLower = (code >= 0x430 && code <= 0x44f) || code === 0x451;
      const isUpper = (code >= 0x410 && code <= 0x42f) || code === 0x401;
      const inWord = previous >= 0x401 && previous <= 0x451;
      if (isLower) points += inWord ? 1.3 : previous < 0x80 && !isAsciiLetter(previous) ? 0.8 : -1;
      else if (isUpper) points += previous >= 0x430 ? -1.2 : isAsciiLetter(previous) ? -1 : 0.3;
      else points -= 1.5;
    }
    previous = code;
  }
  // One letter is no word: a single accented letter of another code page looks the same.
  return count < 3 ? 0 : points / count;
}
