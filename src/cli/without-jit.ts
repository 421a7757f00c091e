/** A short command parses a handful of inputs: compiling its schemas first would take longer than parsing with them as they are. */
import { config } from "zod";

config({ jitless: true });
