/** The only room that touches the machine: files, before-images, processes, terminals. */
export { createFiles, type FilesOptions } from "./files/files.ts";
