/** `karyi skills`: which skills a model may ask for, and what is wrong with their files. */
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, warn, withEngine } from "../front.ts";
import { say } from "../messages.ts";
import { styled } from "../terminal-style.ts";
import { padded } from "../text-width.ts";
import { oneLine } from "../visible.ts";

export function listSkills(_: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const { skills, problems } = await engine.agentFiles.skills(engine.workspace);
    if (flags.json) printJson({ skills: skills.map(({ name, description, source }) => ({ name, description, source })), problems });
    else if (skills.length === 0) print(say("noSkills"));
    else {
      const width = Math.max(...skills.map(({ name }) => name.length)) + 2;
      print(
        skills
          .map(({ name, description }) => `${padded(styled("bold", oneLine(name), process.stdout), width)}${oneLine(description)}`)
          .join("\n"),
      );
    }
    if (!flags.json) for (const { file, line, message } of problems) warn(say("badDefinition", oneLine(file), line, oneLine(message)));
    return exitCodes.done;
  });
}
