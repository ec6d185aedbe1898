import type { CommandEnd } from "./run-in-process.ts";

/** Every command of a program as a list of words, including commands with subcommands, as its help lists them. */
export async function commandPaths(
  run: (args: readonly string[]) => Promise<CommandEnd>,
): Promise<readonly (readonly string[])[]> {
  const below = async (parents: readonly string[]): Promise<readonly (readonly string[])[]> => {
    if (parents.length > 3) throw new Error(`too many levels of commands: ${parents.join(" ")}`);
    const { stdout } = await run([...parents, "--help"]);
    // The section ends with an empty line; examples follow it.
    const listed = stdout.split("\nCommands:\n")[1]?.split("\n\n")[0] ?? "";
    const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map((match) => match[1] ?? "");
    const paths = names.filter((name) => name !== "help").map((name) => [...parents, name]);
    const deeper = await Promise.all(paths.map(below));
    return paths.flatMap((path, index) => [path, ...(deeper[index] ?? [])]);
  };
  return below([]);
}
