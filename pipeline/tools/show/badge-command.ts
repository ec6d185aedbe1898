import { type CommandContext, command } from "../../cli/options/command-context.ts";

export const badgeCommand = command({
  name: "badge",
  description: "print the score of a DAO as a small SVG",
  example: "govdata badge SPACE > badge.svg\n  govdata badge SPACE --shields > badge.json",
  takes: (made) =>
    made.argument("<space>").option("--shields", "print JSON for an endpoint badge of shields.io"),
  run: async ({ settings }: CommandContext, spaceId: string, _flags: { shields?: boolean }) =>
    (await import("./show.ts")).runBadge(settings, spaceId),
  text: ({ shields, svg }, _context, _spaceId, flags) =>
    flags.shields === true ? `${JSON.stringify(shields)}\n` : svg,
  json: ({ shields }) => shields,
});
