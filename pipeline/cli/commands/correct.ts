import { dayOf } from "../../../snapshots/format/ids.ts";
import { type CommandContext, command } from "../options/command-context.ts";

interface CorrectFlags {
  readonly in?: string[];
}

export const correctCommand = command({
  name: "correct",
  description: "record an error in published numbers",
  details: "Appends to `corrections` in the registry, dated today. The next version and the report list it.",
  example:
    'govdata correct "Votes of March were counted twice." "They are counted once." --in 20260401T010000Z-9dab89c3',
  takes: (made) =>
    made
      .argument("<wrong>", "what was wrong, as a sentence")
      .argument("<changed>", "what was changed")
      .option("--in <version...>", "the versions that have the error"),
  async run(
    { settings, nowMs }: CommandContext,
    wrong: string,
    changed: string,
    { in: versions }: CorrectFlags,
  ) {
    const { addRegistryCorrection } = await import("../../upkeep/edit-registry.ts");
    const correction = { date: dayOf(nowMs()), wrong, changed };
    return addRegistryCorrection(settings, versions === undefined ? correction : { ...correction, versions });
  },
  text: ({ date }) => `recorded as of ${date}; the next publish lists it\n`,
});
