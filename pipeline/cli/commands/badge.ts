import { runBadge } from "../../readers/show/badge.ts";
import { type CommandContext, command } from "../options/command-context.ts";

/** `govdata badge SPACE --shields` */
export const badgeCommand = command({
  name: "badge",
  description: "draw the score of one DAO as a small SVG",
  example: "govdata badge SPACE > badge.svg\n  govdata badge SPACE --shields > badge.json",
  takes: (made) =>
    made
      .argument("<space>")
      .option("--shields", "print what an endpoint badge of shields.io asks for, as does --json"),
  run: ({ settings }: CommandContext, spaceId: string, _flags: { shields?: boolean }) =>
    runBadge(settings, spaceId),
  text: ({ shields, svg }, _context, _spaceId, flags) =>
    flags.shields === true ? `${JSON.stringify(shields)}\n` : svg,
  json: ({ shields }) => shields,
});
