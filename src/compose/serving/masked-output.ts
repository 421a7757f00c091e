/** Bytes of a terminal as they may leave: secrets are hidden, also those that come in pieces; nothing is held back for long. */
import { StringDecoder } from "node:string_decoder";
import type { Masker, MaskStream } from "../../contract/index.ts";

/** A prompt that looks like the start of a secret is shown after this. */
const patienceMs = 100;

export function maskedOutput(masker: Masker, write: (bytes: Uint8Array) => void): (bytes: Uint8Array) => void {
  const decoder = new StringDecoder("utf8");
  let stream: MaskStream = masker.stream();
  let timer: NodeJS.Timeout | undefined;
  const send = (text: string): void => {
    if (text !== "") write(Buffer.from(text));
  };
  return (bytes) => {
    send(stream.push(decoder.write(Buffer.from(bytes))));
    clearTimeout(timer);
    timer = setTimeout(() => {
      send(stream.end());
      stream = masker.stream();
    }, patienceMs);
    timer.unref();
  };
}
