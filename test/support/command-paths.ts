import type { CommandEnd } from "./run-in-process.ts";

/** Every command of a program by the words that lead to it, those with commands below them included, as its help lists them. */
export async function commandPaths(
  run: (args: readonly string[]) => Promise<CommandEnd>,
): Promise<readonly (readonly string[])[]> {
  const below = async (parents: readonly string[]): Promise<readonly (readonly string[])[]> => {
    if (parents.length > 3) throw new Error(`no command is that deep: ${parents.join(" ")}`);
    const { stdout } = await run([...parents, "--help"]);
    // The section ends with an empty line; examples stand below it.
    const listed = stdout.split("\nCommands:\n")[1]?.split("\n\n")[0] ?? "";
    const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map((match) => match[1] ?? "");
    const own = names.filter((name) => name !== "help").map((name) => [...parents, name]);
    const deeper = await Promise.all(own.map(below));
    return own.flatMap((path, place) => [path, ...(deeper[place] ?? [])]);
  };
  return below([]);
}
