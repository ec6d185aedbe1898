import type { MakeCommand } from "../cli/options/command-context.ts";
import { compareCommand } from "./compare/compare-command.ts";
import { diffCommand } from "./compare/diff-command.ts";
import { feedCommand } from "./compare/feed-command.ts";
import { explainCommand } from "./explain/explain-command.ts";
import { exportCommand } from "./export/export-command.ts";
import { graphCommand } from "./graph/graph-command.ts";
import { mcpCommand } from "./mcp/mcp-command.ts";
import { recomputeCommand } from "./recompute/recompute-command.ts";
import { reportCommand } from "./report/report-command.ts";
import { badgeCommand, showCommand } from "./show/show-command.ts";

/** The commands of all tools, in the order of the help. The program runs without this folder, and then without them. */
export const TOOL_COMMANDS: readonly MakeCommand[] = [
  showCommand,
  explainCommand,
  compareCommand,
  recomputeCommand,
  diffCommand,
  reportCommand,
  badgeCommand,
  feedCommand,
  graphCommand,
  exportCommand,
  mcpCommand,
];
