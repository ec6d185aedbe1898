import { z } from "zod";
import { SETTINGS as GOVDATA_SETTINGS } from "../../pipeline/cli/options/settings.ts";
import { EXIT, EXIT_MEANINGS } from "../../pipeline/cli/terminal/exit-codes.ts";
import { METRICS } from "../../proxy/observe/metrics.ts";
import { SETTINGS } from "../../proxy/settings.ts";
import { flagName } from "../../snapshots/base/command-line/settings.ts";
import { JSON_SHAPES, SHARED_SHAPES } from "../pipeline/cli/json-shapes.ts";
import { commandPaths } from "../support/command-paths.ts";
import { type CommandEnd, runGovdata, runProxyCommand } from "../support/run-in-process.ts";
import { markdownTable } from "./documents.ts";

/** What the help of one command says, its lines joined again. */
interface HelpPage {
  readonly usage: string;
  readonly description: string;
  readonly options: readonly { readonly flags: string; readonly description: string }[];
}

/** Reads a help page; a line that goes on is one that begins with blanks where no flag stands. */
function readHelp(text: string): HelpPage {
  const [usage = "", ...paragraphs] = text.split("\n\n");
  const isHeading = (paragraph: string) =>
    /^(Options|Arguments|Commands|Example|Variables|Exit codes):/.test(paragraph);
  const words = paragraphs
    .slice(0, paragraphs.findIndex(isHeading))
    .map((paragraph) => paragraph.replaceAll("\n", " "));
  const listed = paragraphs.find((paragraph) => paragraph.startsWith("Options:\n")) ?? "";
  const options = listed.replaceAll(/\n {4,}/g, " ").matchAll(/^ {2}(-.*?) {2,}(.*)$/gm);
  return {
    usage: usage.replace("Usage: ", "").replace(" [options]", "").replaceAll(/\s+/g, " "),
    description: words.map((word) => word.replace(/\.?$/, ".")).join(" "),
    options: [...options].map(([, flags = "", description = ""]) => ({ flags, description })),
  };
}

/** One of the two programs, as a test calls it. */
type Run = (args: readonly string[]) => Promise<CommandEnd>;

const helpOf = async (run: Run, path: readonly string[]): Promise<HelpPage> =>
  readHelp((await run([...path, "--help"])).stdout);

const cell = (text: string): string => text.replaceAll("|", "\\|");
const code = (text: string): string => `\`${cell(text)}\``;
const capital = (text: string): string => text.replace(/^./, (first) => first.toUpperCase());

/** Every command that does something, with the first sentence of its help and its own options. */
async function commandsBlock(run: Run): Promise<string> {
  const paths = await commandPaths(run);
  const ends = paths.filter(
    (path) =>
      !paths.some(
        (other) => other.length > path.length && path.every((word, index) => word === other[index]),
      ),
  );
  const rows = await Promise.all(
    ends.map(async (path) => {
      const { usage, description, options } = await helpOf(run, path);
      const [summary = ""] = /^.*?\.(?= |$)/.exec(description) ?? [];
      const flagged = options.filter(({ flags }) => !flags.includes("--help"));
      const names = flagged.map(({ flags }) => code(/--[a-z-]+/.exec(flags)?.[0] ?? flags));
      return [code(usage.replace(/^govdata(-proxy)? /, "")), cell(capital(summary)), names.join(" ")];
    }),
  );
  return markdownTable(["command", "what it does", "options"], rows);
}

/** Whether a variable has the name of its option. */
const isNamedAlike = ([name, { flag = "" }]: readonly [
  string,
  { readonly flag: string | undefined },
]): boolean => flagName(flag) === `--${name.slice("GOVDATA_".length).toLowerCase().replaceAll("_", "-")}`;

/** Every variable with what it holds; those that stand for the option of their name share a row. */
function variablesBlock(): string {
  const all = Object.entries(GOVDATA_SETTINGS.table);
  const alike = all.filter(isNamedAlike).map(([name]) => code(name));
  const others = all
    .filter((option) => !isNamedAlike(option))
    .map(([name, { flag, words }]) => [
      code(name),
      flag === undefined ? words : `as ${code(flagName(flag))}`,
    ]);
  return markdownTable(["variable", "holds"], [[alike.join(" "), "the option of the same name"], ...others]);
}

/** Exit codes with their meanings. */
function exitCodesBlock(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
  return markdownTable(
    ["exit code", "meaning"],
    names.map((name) => [`${EXIT[name]}`, EXIT_MEANINGS[name]]),
  );
}

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

/** The fields of a value with `--json`, each with its own behind it in brackets. */
function fieldsOf(schema: unknown): string {
  if (!isSchema(schema)) return "";
  if (isSchema(schema["items"])) return fieldsOf(schema["items"]);
  const choices = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(choices))
    return choices
      .map(fieldsOf)
      .filter((word) => word !== "")
      .join(" or ");
  const { properties } = schema;
  if (!isSchema(properties)) return "";
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  return Object.entries(properties)
    .map(([name, field]) => {
      const fieldNames = fieldsOf(field);
      const many = isSchema(field) && field["type"] === "array" ? "[]" : "";
      return `${code(`${name}${many}${required.has(name) ? "" : "?"}`)}${fieldNames === "" ? "" : ` (${fieldNames})`}`;
    })
    .join(", ");
}

/** Commands that print what is published, whose shapes are the format's. */
const PUBLISHED = /^(show |graph$|explain$|methodology$)/;

const schemaOf = (shape: z.ZodType) => z.toJSONSchema(shape, { unrepresentable: "any", io: "input" });

/** What each command prints with `--json`: `[]` is a list, `?` may be absent, a shape of several commands has a row of its own. */
function jsonBlock(): string {
  const shared = Object.entries(SHARED_SHAPES).map(([name, shape]) => ({
    name,
    fields: fieldsOf(schemaOf(shape)),
  }));
  const shorten = (fields: string, without?: string) =>
    shared
      .filter(({ name }) => name !== without)
      .toReversed()
      .reduce(
        (text, { name, fields }) =>
          text.replaceAll(`(${fields})`, `(*${name}*)`).replace(`${fields},`, `*${name}*,`),
        fields,
      );
  const rows = Object.entries(JSON_SHAPES)
    .filter(([command]) => !PUBLISHED.test(command))
    .map(([command, shape]) => {
      const schema = schemaOf(shape);
      const many = schema.type === "array" ? "a list: " : "";
      return [code(command), `${many}${shorten(fieldsOf(schema))}`];
    });
  const sharedRows = shared.map(({ name, fields }) => [`*${name}*`, shorten(fields, name)]);
  return markdownTable(["command", "prints"], [...rows, ...sharedRows]);
}

/** The blocks of the reference of `govdata`. */
export async function commandBlocks(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["commands", await commandsBlock(runGovdata)],
    ["variables", variablesBlock()],
    ["exit codes", exitCodesBlock()],
    ["json", jsonBlock()],
  ]);
}

/** Every variable of `govdata-proxy`, from the table that `--help` shows. */
function settingsBlock(): string {
  const rows = Object.entries(SETTINGS.table).map(([name, { words, otherwise, flag }]) => {
    const wins = flag === undefined ? "" : ` (or ${code(flagName(flag))})`;
    return [code(name), `${cell(words)}${wins}`, cell(otherwise)];
  });
  return markdownTable(["variable", "holds", "without it"], rows);
}

/** Every metric of ours. */
function metricsBlock(): string {
  const rows = Object.entries(METRICS).map(([name, { kind, help }]) => [code(name), kind, cell(help)]);
  return markdownTable(["metric", "kind", "tells"], rows);
}

/** The blocks of the reference of `govdata-proxy`. */
export async function proxyCommandBlocks(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["commands", await commandsBlock(runProxyCommand)],
    ["variables", settingsBlock()],
    ["metrics", metricsBlock()],
  ]);
}
