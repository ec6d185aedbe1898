import { Option } from "commander";
import { parseValue, type ValueKind } from "./values.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a variable holds, and the option that wins over it, if there is one. */
export interface Setting<Value, HasDefault extends boolean = boolean> {
  readonly kind: ValueKind<Value>;
  readonly words: string;
  /** The default as text, or in words what applies without the setting; empty if nothing does. */
  readonly otherwise: string;
  readonly hasDefault: HasDefault;
  /** As commander writes it, such as `--home <dir>`. */
  readonly flag: string | undefined;
}

/** A setting, and in words what applies without it. */
export function setting<Value>(
  kind: ValueKind<Value>,
  words: string,
  otherwise: string,
  flag?: string,
): Setting<Value, false> {
  return { kind, words, otherwise, flag, hasDefault: false };
}

export function settingOr<Value>(
  kind: ValueKind<Value>,
  words: string,
  otherwise: string,
  flag?: string,
): Setting<Value, true> {
  return { kind, words, otherwise, flag, hasDefault: true };
}

type Table = Readonly<Record<string, Setting<unknown>>>;
type NameIn<Settings extends Table> = Extract<keyof Settings, string>;
type ValueIn<Entry> =
  Entry extends Setting<infer Value, infer HasDefault>
    ? HasDefault extends true
      ? Value
      : Value | undefined
    : never;

/** The name of an option without its value, such as `--home`. */
export const flagName = (flag: string): string => flag.split(" ")[0] ?? flag;

/** Everything that follows from a table of settings; a variable in `mayBeEmpty` is set even if it is empty. */
export function settingsFrom<const Settings extends Table>(
  table: Settings,
  mayBeEmpty: readonly NameIn<Settings>[] = [],
) {
  type Name = NameIn<Settings>;
  const settingOf = (name: Name): Setting<unknown> => table[name] as Setting<unknown>;
  return {
    table,
    /** The value: of the option, else of the variable, else the default. Throws `BAD_OPTION` with the name of the one given. */
    read<Chosen extends Name>(
      name: Chosen,
      environment: Environment,
      option?: string,
    ): ValueIn<Settings[Chosen]> {
      const { kind, flag, hasDefault, otherwise } = settingOf(name);
      const given = environment[name];
      // Shells and unit files unset a variable by emptying it.
      const variable = given === "" && !mayBeEmpty.includes(name) ? undefined : given;
      const text = option ?? variable ?? (hasDefault ? otherwise : undefined);
      const called = option === undefined || flag === undefined ? name : flagName(flag);
      // The kind is of this name's value; the compiler cannot see it through the table.
      return (text === undefined ? undefined : parseValue(kind, called, text)) as ValueIn<Settings[Chosen]>;
    },
    /** The option of a setting, which a command may describe in words of its own. */
    option(
      name: Name,
      overrides: { readonly flag?: string; readonly words?: string; readonly otherwise?: string } = {},
    ): Option {
      const { flag = "", words, otherwise } = { ...settingOf(name), ...overrides };
      const defaultText = otherwise === "" ? "" : `default: ${otherwise}, `;
      return new Option(flag, `${words} (${defaultText}env: ${name})`);
    },
    help(names: readonly Name[] = Object.keys(table) as Name[]): string {
      const width = Math.max(...names.map((name) => name.length));
      const lines = names.map((name) => {
        const { words, otherwise, flag } = settingOf(name);
        const wins = flag === undefined ? "" : `; ${flagName(flag)} wins`;
        return `  ${name.padEnd(width)}  ${words}${otherwise === "" ? "" : ` (${otherwise})`}${wins}`;
      });
      return ["Variables:", ...lines].join("\n");
    },
  };
}
