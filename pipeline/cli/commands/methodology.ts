import type { Command } from "commander";
import { METHODOLOGY } from "../../score/method/methodology.ts";
import { contextOf, describedCommand, type ProcessContext } from "../options/command-context.ts";
import { formatTable } from "../terminal/table.ts";

/** Every constant of the method. */
export interface MethodologyConstants {
  readonly version: string;
  /** By dotted name, in the order of the method. */
  readonly constants: readonly { readonly name: string; readonly value: string }[];
  /** The same as a tree, for machines. */
  readonly tree: unknown;
}

function flatten(prefix: string, value: unknown): { name: string; value: string }[] {
  if (value === null || typeof value !== "object") return [{ name: prefix, value: String(value) }];
  return Object.entries(value).flatMap(([key, item]) =>
    flatten(prefix === "" ? key : `${prefix}.${key}`, item),
  );
}

/** `govdata methodology`: the constants the scorers use, straight from their file. */
export function methodologyConstants(): MethodologyConstants {
  const { version, ...rest } = METHODOLOGY;
  return { version, constants: flatten("", rest), tree: METHODOLOGY };
}

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
