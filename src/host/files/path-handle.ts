/** Linux: for a handle that only names what it opens, which needs no right to read it; 0 where there is none. */
export const O_PATH = process.platform === "linux" ? 0o10000000 : 0;
