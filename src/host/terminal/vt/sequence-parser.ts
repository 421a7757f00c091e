/** Takes terminal output apart: characters to print, control characters, and sequences. Bounded: a sequence without an end is dropped. */

export interface SequenceHandler {
  print(character: string): void;
  control(character: string): void;
  /** The character after ESC, where it is a sequence of its own. */
  escape(character: string): void;
  /** `ESC (`: which characters are printed. */
  charset(character: string): void;
  /** Parameters and the final character of a control sequence. */
  csi(sequence: string, final: string): void;
}

type State = "ground" | "escape" | "charset" | "skip" | "csi" | "string" | "string-escape";

const maxSequence = 256;
/** What follows ESC and is followed by one character that means nothing here. */
const skipped = new Set(")*+#% ");
/** Titles, device control and the like: text up to a terminator. */
const strings = new Set("]PX^_");

export class SequenceParser {
  readonly #handler: SequenceHandler;
  #state: State = "ground";
  #sequence = "";

  constructor(handler: SequenceHandler) {
    this.#handler = handler;
  }

  get atGround(): boolean {
    return this.#state === "ground";
  }

  write(text: string): void {
    for (const character of text) this.#take(character);
  }

  #take(character: string): void {
    switch (this.#state) {
      case "ground":
        if (character >= " " && character !== "\x7f") this.#handler.print(character);
        else this.#control(character);
        return;
      case "escape":
        this.#escape(character);
        return;
      case "charset":
        this.#state = "ground";
        this.#handler.charset(character);
        return;
      case "skip":
        this.#state = "ground";
        return;
      case "csi":
        this.#csi(character);
        return;
      case "string":
        if (character === "\x07" || character === "\x18" || character === "\x1a") this.#state = "ground";
        else if (character === "\x1b") this.#state = "string-escape";
        return;
      case "string-escape":
        if (character === "\\") this.#state = "ground";
        else this.#escape(character);
    }
  }

  #control(character: string): void {
    if (character === "\x1b") this.#state = "escape";
    else this.#handler.control(character);
  }

  #escape(character: string): void {
    this.#state = "ground";
    if (character === "[") {
      this.#sequence = "";
      this.#state = "csi";
    } else if (strings.has(character)) this.#state = "string";
    else if (character === "(") this.#state = "charset";
    else if (skipped.has(character)) this.#state = "skip";
    else if (character === "\x1b") this.#state = "escape";
    else this.#handler.escape(character);
  }

  #csi(character: string): void {
    if (character >= "@" && character <= "~") {
      this.#state = "ground";
      this.#handler.csi(this.#sequence, character);
    } else if (character === "\x1b") this.#state = "escape";
    else if (character === "\x18" || character === "\x1a") this.#state = "ground";
    else if (character < " ") this.#handler.control(character);
    else if (this.#sequence.length < maxSequence) this.#sequence += character;
    else this.#state = "ground";
  }
}
