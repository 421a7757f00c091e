import { text as textOf } from "node:stream/consumers";

const { text } = JSON.parse(await textOf(process.stdin));
const words = text.split(/\s+/u).filter((word) => word !== "");
console.log(JSON.stringify({ lines: text.split("\n").length, words: words.length, characters: [...text].length }));
