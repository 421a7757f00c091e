/** The decoder ships without types; this is the part that is used. */
declare module "heic-decode" {
  export default function decode(input: {
    readonly buffer: Uint8Array;
  }): Promise<{ width: number; height: number; data: Uint8ClampedArray }>;
}
