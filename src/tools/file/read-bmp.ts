/**
 * Owns Windows bitmaps, the one common format the image library does not read: 1, 4, 8, 16, 24 and 32 bits a pixel,
 * bit fields, and run-length coding. Refuses sizes above the given bound and files that end too early.
 */

export interface Bitmap {
  readonly width: number;
  readonly height: number;
  /** RGBA. */
  readonly data: Uint8Array;
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly topDown: boolean;
  readonly bits: number;
  readonly compression: number;
  readonly pixels: number;
  readonly palette: readonly (readonly [number, number, number])[];
  readonly masks: readonly [number, number, number, number];
}

export function decodeBmp(bytes: Uint8Array, maxPixels: number): Bitmap {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = readHeader(buffer);
  const { width, height } = header;
  if (width <= 0 || height <= 0) throw new Error("it has no pixels");
  if (width * height > maxPixels) throw new Error("it exceeds the pixel limit");
  const data = new Uint8Array(width * height * 4);
  if (header.compression === 1 || header.compression === 2) return { width, height, data: unpackRuns(buffer, header, data) };
  const stride = Math.ceil((width * header.bits) / 32) * 4;
  if (header.pixels + stride * height > buffer.length) throw new Error("it ends too early");
  for (let row = 0; row < height; row += 1) {
    const from = header.pixels + stride * (header.topDown ? row : height - 1 - row);
    for (let column = 0; column < width; column += 1) putPixel(buffer, header, from, column, data, (row * width + column) * 4);
  }
  if (header.masks[3] === 0) for (let at = 3; at < data.length; at += 4) data[at] = 255;
  return { width, height, data };
}

function readHeader(buffer: Buffer): Header {
  if (buffer.length < 26) throw new Error("it ends too early");
  const pixels = buffer.readUInt32LE(10);
  const size = buffer.readUInt32LE(14);
  const isCore = size === 12;
  if (!isCore && buffer.length < 54) throw new Error("it ends too early");
  const width = isCore ? buffer.readUInt16LE(18) : buffer.readInt32LE(18);
  const signedHeight = isCore ? buffer.readUInt16LE(20) : buffer.readInt32LE(22);
  const bits = buffer.readUInt16LE(isCore ? 24 : 28);
  const compression = isCore ? 0 : buffer.readUInt32LE(30);
  if (![1, 4, 8, 16, 24, 32].includes(bits)) throw new Error(`it has ${bits} bits a pixel`);
  if (![0, 1, 2, 3, 6].includes(compression)) throw new Error(`its compression ${compression} is not known`);
  return {
    width,
    height: Math.abs(signedHeight),
    topDown: signedHeight < 0,
    bits,
    compression,
    pixels,
    palette: bits <= 8 ? readPalette(buffer, size, bits, isCore) : [],
    masks: readMasks(buffer, size, bits, compression),
  };
}

function readPalette(buffer: Buffer, headerSize: number, bits: number, isCore: boolean): [number, number, number][] {
  const used = isCore ? 0 : buffer.readUInt32LE(46);
  const count = used === 0 ? 1 << bits : Math.min(used, 1 << bits);
  const step = isCore ? 3 : 4;
  const palette: [number, number, number][] = [];
  for (let index = 0; index < count; index += 1) {
    const at = 14 + headerSize + index * step;
    if (at + 3 > buffer.length) break;
    palette.push([buffer.readUInt8(at + 2), buffer.readUInt8(at + 1), buffer.readUInt8(at)]);
  }
  return palette;
}

function readMasks(buffer: Buffer, headerSize: number, bits: number, compression: number): [number, number, number, number] {
  if (compression === 3 || compression === 6) {
    if (buffer.length < 70) throw new Error("it ends too early");
    const hasAlpha = compression === 6 || headerSize >= 56;
    return [buffer.readUInt32LE(54), buffer.readUInt32LE(58), buffer.readUInt32LE(62), hasAlpha ? buffer.readUInt32LE(66) : 0];
  }
  return bits === 16 ? [0x7c00, 0x03e0, 0x001f, 0] : [0xff0000, 0xff00, 0xff, 0];
}

function putPixel(buffer: Buffer, header: Header, from: number, column: number, data: Uint8Array, at: number): void {
  const { bits, palette, masks } = header;
  if (bits === 24) {
    data[at] = buffer[from + column * 3 + 2] ?? 0;
    data[at + 1] = buffer[from + column * 3 + 1] ?? 0;
    data[at + 2] = buffer[from + column * 3] ?? 0;
  } else if (bits >= 16) {
    const value = bits === 16 ? buffer.readUInt16LE(from + column * 2) : buffer.readUInt32LE(from + column * 4);
    for (let channel = 0; channel < 4; channel += 1) data[at + channel] = masked(value, masks[channel] ?? 0);
  } else {
    const byte = buffer[from + ((column * bits) >> 3)] ?? 0;
    const index = (byte >> (8 - bits - ((column * bits) & 7))) & ((1 << bits) - 1);
    putColour(palette[index], data, at);
  }
}

function putColour(colour: readonly [number, number, number] | undefined, data: Uint8Array, at: number): void {
  if (colour === undefined) return;
  data[at] = colour[0];
  data[at + 1] = colour[1];
  data[at + 2] = colour[2];
}

/** The channel under a mask, stretched to 8 bits. */
function masked(value: number, mask: number): number {
  if (mask === 0) return 0;
  const shift = 31 - Math.clz32(mask & -mask);
  const range = mask >>> shift;
  return Math.round((((value & mask) >>> shift) * 255) / range);
}

function unpackRuns(buffer: Buffer, header: Header, data: Uint8Array): Uint8Array {
  const { width, height, bits, palette } = header;
  let x = 0;
  let y = 0;
  let at = header.pixels;
  const put = (index: number): void => {
    const row = header.topDown ? y : height - 1 - y;
    if (x < width && y < height) putColour(palette[index], data, (row * width + x) * 4);
    x += 1;
  };
  const nibble = (byte: number, index: number): number => (bits === 4 ? (index % 2 === 0 ? byte >> 4 : byte & 15) : byte);
  while (at + 1 < buffer.length && y < height) {
    const count = buffer[at] ?? 0;
    const value = buffer[at + 1] ?? 0;
    at += 2;
    if (count > 0) for (let index = 0; index < count; index += 1) put(nibble(value, index));
    else if (value === 0) {
      x = 0;
      y += 1;
    } else if (value === 1) break;
    else if (value === 2) {
      x += buffer[at] ?? 0;
      y += buffer[at + 1] ?? 0;
      at += 2;
    } else {
      for (let index = 0; index < value; index += 1) put(nibble(buffer[at + (bits === 4 ? index >> 1 : index)] ?? 0, index));
      at += Math.ceil((bits === 4 ? Math.ceil(value / 2) : value) / 2) * 2;
    }
  }
  for (let alpha = 3; alpha < data.length; alpha += 4) data[alpha] = 255;
  return data;
}
