import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import fc from "../../../../test/support/fast-check.ts";
import { decodeText, detectEncoding, encodeText, showable, type TextEncoding, textEncodings } from "./encoding.ts";

const samples: Readonly<Partial<Record<TextEncoding, readonly string[]>>> = {
  gb18030: [
    "中文",
    "你好，世界",
    "这是一个测试文件，用来检查编码。\n第二行。\n",
    "// 配置文件\nconst a = 1; // 名称\n",
    "print('错误：文件不存在')\n",
    "注释",
    "程序编码",
    "用户名=张三\r\n密码=\r\n",
    "x = 1  # 返回值\n",
  ],
  big5: [
    "中文",
    "你好，世界",
    "這是一個測試檔案，用來檢查編碼。\n第二行。\n",
    "// 設定檔\nconst a = 1; // 名稱\n",
    "print('錯誤：檔案不存在')\n",
    "臺灣的資料",
  ],
  shift_jis: [
    "日本語の文書",
    "こんにちは、世界",
    "これはテストファイルです。文字コードを確認します。\n二行目。\n",
    "// 設定ファイル\nconst a = 1; // 名前\n",
    "エラー：ファイルが見つかりません\n",
    "x = 1 # テスト\n",
  ],
  "euc-kr": [
    "안녕하세요 세계",
    "이것은 인코딩을 확인하는 테스트 파일입니다.\n둘째 줄.\n",
    "// 설정 파일\nconst a = 1; // 이름\n",
    "print('오류: 파일이 없습니다')\n",
  ],
  "euc-jp": ["これはテストファイルです。文字コードを確認します。\n二行目。\n"],
  "windows-1252": [
    "café",
    "Größe: 5 €\n",
    "“quoted” – naïve résumé\n",
    "// Müller\nint x;\n",
    "El niño comió piñata\n",
    "£100 ©2020 ±5°\n",
    "x = 'ß'",
    "Ça va? Où êtes-vous? À bientôt\n",
    "temp = 20°C",
  ],
  "windows-1251": ["Привет мир, это тест\n", "// настройки\nint a;\n"],
  "koi8-r": ["Привет мир, это тест\n"],
};

const bytesOf = (text: string, encoding: TextEncoding): Buffer => iconv.encode(text, encoding);

describe("detectEncoding", () => {
  for (const [name, texts] of Object.entries(samples)) {
    const encoding = name as TextEncoding;
    it.each(texts)(`knows ${encoding}: %j`, async (text) => {
      const detected = await detectEncoding(bytesOf(text, encoding));
      expect({ encoding: detected.encoding, bom: detected.bom.length, sure: detected.confidence > 0 && detected.confidence < 1 }).toEqual({
        encoding,
        bom: 0,
        sure: true,
      });
      expect((await decodeText(bytesOf(text, encoding), encoding)).text).toBe(text);
    });
  }

  it("is certain of ASCII, UTF-8 and byte order marks", async () => {
    const bom = Buffer.from([0xef, 0xbb, 0xbf]);
    expect(await detectEncoding(Buffer.from("plain"))).toEqual({ encoding: "utf-8", bom: new Uint8Array(0), confidence: 1 });
    expect(await detectEncoding(Buffer.from("né 中 😀"))).toEqual({ encoding: "utf-8", bom: new Uint8Array(0), confidence: 1 });
    expect(await detectEncoding(Buffer.concat([bom, Buffer.from("é")]))).toEqual({ encoding: "utf-8", bom, confidence: 1 });
    const wide = Buffer.from("\uFEFFé中", "utf16le");
    expect(await detectEncoding(wide)).toEqual({ encoding: "utf-16le", bom: Buffer.from([0xff, 0xfe]), confidence: 1 });
    expect(await detectEncoding(Buffer.from(wide).swap16())).toEqual({
      encoding: "utf-16be",
      bom: Buffer.from([0xfe, 0xff]),
      confidence: 1,
    });
    expect((await detectEncoding(new Uint8Array(0))).encoding).toBe("utf-8");
  });

  it.each(["a", "hello\r\nworld\r\n", "int x = 5; // größe", "名前=値\n二行目\n", "Привет мир\n", "emoji 😀 ok"])(
    "knows UTF-16 without a mark: %j",
    async (text) => {
      const little = Buffer.from(text, "utf16le");
      expect((await detectEncoding(little)).encoding).toBe("utf-16le");
      expect((await detectEncoding(Buffer.from(little).swap16())).encoding).toBe("utf-16be");
    },
  );

  it("takes a character cut at the end of a partial sample for what it is", async () => {
    const bytes = Buffer.from("ab中");
    expect((await detectEncoding(bytes.subarray(0, 4), { partial: true })).encoding).toBe("utf-8");
    expect((await detectEncoding(bytes.subarray(0, 3), { partial: true })).encoding).toBe("utf-8");
  });

  it("keeps a UTF-8 file with a damaged byte a UTF-8 file", async () => {
    const bytes = Buffer.concat([Buffer.from("größe, naïve, 中文\n"), Buffer.from([0xff]), Buffer.from("\ntail é\n")]);
    expect((await detectEncoding(bytes)).encoding).toBe("utf-8");
    expect(await decodeText(bytes, "utf-8")).toEqual({ text: "größe, naïve, 中文\n\udcff\ntail é\n", strays: 1, exact: true });
    expect(showable("a\udcffb")).toBe("a\uFFFDb");
  });

  it.each([
    ["one accent and one wrong byte", [..."caf"].map(code), [0xc3, 0xa9], [0x20, 0xff, 0x0a]],
    ["a Chinese word and half a character", [...Buffer.from("名称=值\n")], [0xe4, 0xb8], [0x0a]],
    ["a dash and a stray continuation", [...Buffer.from("a – b\n")], [0x80], [...Buffer.from("\nend\n")]],
    ["an emoji and two wrong bytes", [...Buffer.from("ok 😀 é\n")], [0xfe], [0xff, 0x0a]],
  ])("keeps a short UTF-8 file with damage a UTF-8 file: %s", async (_what, ...parts) => {
    const bytes = Buffer.from((parts as number[][]).flat());
    expect((await detectEncoding(bytes)).encoding).toBe("utf-8");
    const { text } = await decodeText(bytes, "utf-8");
    expect(await encodeText(text, "utf-8", { strays: true })).toEqual({ ok: true, bytes });
  });

  it("looks behind a long ASCII head", async () => {
    const bytes = Buffer.concat([Buffer.from("line of code\n".repeat(20_000)), bytesOf("// 配置文件，用户名称\n", "gb18030")]);
    expect((await detectEncoding(bytes)).encoding).toBe("gb18030");
  });
});

function code(character: string): number {
  return character.charCodeAt(0);
}

describe("decodeText and encodeText", () => {
  it("give any bytes back in every encoding", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), fc.constantFrom(...textEncodings), async (bytes, encoding) => {
        const decoded = await decodeText(bytes, encoding);
        if (!decoded.exact) {
          expect(encoding.startsWith("utf-16") && bytes.length % 2 === 1).toBe(true);
          return;
        }
        const encoded = await encodeText(decoded.text, encoding, { strays: true });
        expect(encoded.ok && Buffer.from(encoded.bytes).equals(bytes)).toBe(true);
      }),
      { numRuns: process.env.KARYI_FULL === "1" ? 20_000 : 800 },
    );
  });

  it("give the bytes of each part back when the text is cut anywhere between characters", async () => {
    const bytes = Buffer.concat([bytesOf("一二\r\n三", "gb18030"), Buffer.from([0xff, 0x80]), bytesOf("四x", "gb18030")]);
    const { text } = await decodeText(bytes, "gb18030");
    for (let at = 0; at <= text.length; at += 1) {
      const parts = await Promise.all([text.slice(0, at), text.slice(at)].map((part) => encodeText(part, "gb18030", { strays: true })));
      expect(Buffer.concat(parts.map((part) => (part.ok ? part.bytes : Buffer.alloc(0))))).toEqual(bytes);
    }
  });

  it("name the first character an encoding cannot hold", async () => {
    expect(await encodeText("ok ü 中 ß", "windows-1252")).toEqual({ ok: false, character: "中", index: 5 });
    expect(await encodeText("한국 😀", "euc-kr")).toEqual({ ok: false, character: "😀", index: 3 });
    expect(await encodeText("日本 한", "shift_jis")).toEqual({ ok: false, character: "한", index: 3 });
    expect(await encodeText("價 ¥ é", "big5")).toEqual({ ok: false, character: expect.any(String), index: expect.any(Number) });
    expect(await encodeText("5 ¥", "shift_jis")).toEqual({ ok: false, character: "¥", index: 2 });
    expect(await encodeText("\u0080", "windows-1252")).toEqual({ ok: false, character: "\u0080", index: 0 });
  });

  it("take half characters as bytes only from text that was decoded", async () => {
    expect(await encodeText("a\udc80", "utf-8")).toEqual({ ok: false, character: "\udc80", index: 1 });
    expect(await encodeText("a\udc80", "utf-8", { strays: true })).toEqual({ ok: true, bytes: Buffer.from([0x61, 0x80]) });
    expect(await encodeText("a\ud800", "utf-8", { strays: true })).toEqual({ ok: false, character: "\ud800", index: 1 });
    expect(await encodeText("a\ud800", "utf-16le")).toEqual({ ok: false, character: "\ud800", index: 1 });
  });

  it("hold every Unicode character in GB18030", async () => {
    const text = "€ é 😀 한 ꀀ";
    const encoded = await encodeText(text, "gb18030");
    expect(encoded.ok && (await decodeText(encoded.bytes, "gb18030")).text).toBe(text);
  });
});
