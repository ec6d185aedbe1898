import type { Command } from "commander";
import { methodologyConstants } from "../../run/methodology.ts";
import { contextOf, describedCommand, type ProcessContext } from "../command-context.ts";
import { formatTable } from "../table.ts";

/** `govdata methodology` */
export function methodologyCommand(process: ProcessContext): Command {
  return describedCommand(
    "methodology",
    "print every constant of the method and its version",
    "govdata methodology --json | jq .version",
  ).action((_options, command: Command) => {
    const context = contextOf(command, process);
    const { version, constants, tree } = methodologyConstants();
    const table = formatTable(
      [
        { heading: "constant", of: (row: { name: string; value: string }) => row.name },
        { heading: "value", of: (row) => row.value, align: "right" },
      ],
      constants,
    );
    context.print(`methodology ${version}\n\n${table}`, tree);
  });
}
