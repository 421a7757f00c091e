// Builds the library, the keeper and the command as tsdown.config.ts says. Through the bundler's API: its command line warns
// about Node 20, which Karyi supports. Warnings of the build itself are shown; `--quiet` leaves out everything else.
import { build } from "tsdown";

await build({ logLevel: process.argv.includes("--quiet") ? "warn" : "info" });
