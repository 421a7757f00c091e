/** HEIC is what telephones take pictures in. No encoder for it is at hand, so the picture is written here bit by bit. */
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { readImage } from "./read-image.ts";

class Bits {
  readonly #bits: number[] = [];

  put(value: number, count: number): this {
    for (let bit = count - 1; bit >= 0; bit -= 1) this.#bits.push(Math.floor(value / 2 ** bit) & 1);
    return this;
  }

  /** Exponential Golomb code. */
  ue(...values: number[]): this {
    for (const value of values) {
      const length = 31 - Math.clz32(value + 1);
      this.put(0, length).put(value + 1, length + 1);
    }
    return this;
  }

  align(first: 0 | 1): this {
    if (first === 1) this.put(1, 1);
    while (this.#bits.length % 8 !== 0) this.put(0, 1);
    return this;
  }

  bytes(): Buffer {
    const bytes = Buffer.alloc(this.#bits.length / 8);
    for (const [index, bit] of this.#bits.entries()) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (bit << (7 - (index & 7)));
    return bytes;
  }
}

/** The arithmetic coder as far as uncompressed blocks need it: nothing but likely bins and ends. */
class Coder {
  #low = 0;
  #range = 510;
  #first = true;
  #waiting = 0;

  constructor(readonly out: Bits) {}

  likely(rangeOfUnlikely: number): void {
    this.#range -= rangeOfUnlikely;
    this.#renormalise();
  }

  goOn(): void {
    this.#range -= 2;
    this.#renormalise();
  }

  end(): void {
    this.#range -= 2;
    this.#low += this.#range;
    this.#range = 2;
    this.#renormalise();
    this.#bit((this.#low >> 9) & 1);
    this.out.put(((this.#low >> 7) & 3) | 1, 2);
  }

  #renormalise(): void {
    while (this.#range < 256) {
      if (this.#low < 256) this.#bit(0);
      else if (this.#low >= 512) {
        this.#low -= 512;
        this.#bit(1);
      } else {
        this.#low -= 256;
        this.#waiting += 1;
      }
      this.#range <<= 1;
      this.#low <<= 1;
    }
  }

  #bit(bit: number): void {
    if (this.#first) this.#first = false;
    else this.out.put(bit, 1);
    for (; this.#waiting > 0; this.#waiting -= 1) this.out.put(1 - bit, 1);
  }
}

function unit(type: number, bits: Bits): Buffer {
  const body: number[] = [];
  let zeros = 0;
  for (const byte of bits.bytes()) {
    if (zeros >= 2 && byte <= 3) {
      body.push(3);
      zeros = 0;
    }
    body.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Buffer.from([type << 1, 1, ...body]);
}

const profile = (bits: Bits): Bits => bits.put(3, 8).put(0x70000000, 32).put(0b1011, 4).put(0, 44).put(30, 8);

/** Two blocks of 16x16: red, blue. */
function heic(): Buffer {
  const colours = [
    { y: 82, cb: 90, cr: 240 },
    { y: 41, cb: 240, cr: 110 },
  ];
  const video = new Bits().put(0, 4).put(3, 2).put(0, 6).put(0, 3).put(1, 1).put(0xffff, 16);
  profile(video).put(1, 1).ue(0, 0, 0).put(0, 6).ue(0).put(0, 2).align(1);
  const sequence = profile(new Bits().put(0, 4).put(0, 3).put(1, 1)).ue(0, 1, 32, 16).put(0, 1).ue(0, 0, 0).put(1, 1).ue(0, 0, 0);
  sequence.ue(1, 0, 0, 2, 0, 0).put(0, 3).put(1, 1).put(7, 4).put(7, 4).ue(1, 0).put(1, 1).ue(0).put(0, 5).align(1);
  const pictures = new Bits().ue(0, 0).put(0, 7).ue(0, 0, 0).put(0, 3).ue(0, 0).put(0, 10).ue(0).put(0, 2).align(1);
  const slice = new Bits().put(0b10, 2).ue(0, 2, 0).align(1);
  let coder = new Coder(slice);
  for (const [index, { y, cb, cr }] of colours.entries()) {
    coder.likely(index === 0 ? 240 : 227);
    coder.end();
    slice.align(0);
    for (let sample = 0; sample < 256; sample += 1) slice.put(y, 8);
    for (const chroma of [cb, cr]) for (let sample = 0; sample < 64; sample += 1) slice.put(chroma, 8);
    coder = new Coder(slice);
    if (index === 0) coder.goOn();
    else coder.end();
  }
  slice.align(0);
  return container([unit(32, video), unit(33, sequence), unit(34, pictures)], unit(19, slice));
}

const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const u32 = (value: number): Buffer => Buffer.concat([u16(value >>> 16), u16(value & 0xffff)]);
const box = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length + 8), Buffer.from(type, "latin1"), body]);
};
const full = (type: string, version: number, ...parts: Buffer[]): Buffer => box(type, u32(version * 2 ** 24), ...parts);

function container(parameters: readonly Buffer[], slice: Buffer): Buffer {
  const arrays = parameters.map((one, index) => Buffer.concat([Buffer.from([0x80 | (32 + index)]), u16(1), u16(one.length), one]));
  const config = Buffer.concat([
    Buffer.from([1, 3, 0x70, 0, 0, 0, 0xb0, 0, 0, 0, 0, 0, 30, 0xf0, 0, 0xfc, 0xfd, 0xf8, 0xf8, 0, 0, 0x0f, arrays.length]),
    ...arrays,
  ]);
  const type = box("ftyp", Buffer.from("heic\0\0\0\0mif1heic", "latin1"));
  const data = Buffer.concat([u32(slice.length), slice]);
  const meta = (place: number): Buffer =>
    full(
      "meta",
      0,
      full("hdlr", 0, u32(0), Buffer.from("pict", "latin1"), Buffer.alloc(13)),
      full("pitm", 0, u16(1)),
      full("iloc", 0, Buffer.from([0x44, 0]), u16(1), u16(1), u16(0), u16(1), u32(place), u32(data.length)),
      full("iinf", 0, u16(1), full("infe", 2, u16(1), u16(0), Buffer.from("hvc1\0", "latin1"))),
      box(
        "iprp",
        box("ipco", box("hvcC", config), full("ispe", 0, u32(32), u32(16))),
        full("ipma", 0, u32(1), u16(1), Buffer.from([2, 0x81, 2])),
      ),
    );
  const place = type.length + meta(0).length + 8;
  return Buffer.concat([type, meta(place), box("mdat", data)]);
}

describe("Read of HEIC", () => {
  it("makes it a JPEG", async () => {
    const { output, content, data } = await readImage("/p/i.heic", heic(), "heif");
    const [shown] = content;
    expect([shown?.mediaType, shown?.width, shown?.height, data]).toEqual([
      "image/jpeg",
      32,
      16,
      expect.objectContaining({ format: "heic", width: 32, height: 16 }),
    ]);
    expect(output).toMatch(/^Image: HEIC, 32x16, .*; shown as JPEG, 32x16$/);
    const { data: pixels, info } = await sharp(Buffer.from(shown?.data ?? "", "base64"))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const at = (x: number): number[] => [...pixels.subarray((8 * info.width + x) * 3, (8 * info.width + x) * 3 + 3)];
    const [red, blue] = [at(4), at(28)];
    expect([(red[0] ?? 0) > 200, (red[2] ?? 0) < 60, (blue[0] ?? 0) < 60, (blue[2] ?? 0) > 200]).toEqual([true, true, true, true]);
  });
});
