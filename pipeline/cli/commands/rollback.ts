import { type CommandContext, command } from "../options/command-context.ts";
import {
  formatUploaded,
  publishedExit,
  publishing,
  type UploadFlags,
  uploadOption,
} from "../options/destination.ts";
import { allowOption } from "../options/parse-options.ts";
import { publicKeyOption, publicKeysOf } from "../options/settings.ts";

interface RollbackFlags extends UploadFlags {
  readonly allow: readonly string[];
  readonly publicKey?: string;
}

export const rollbackCommand = command({
  name: "rollback",
  description: "publish the content of a kept version again, as a new version",
  example: "govdata rollback 20261120T060000Z-3f9ac2d1",
  takes: (made) =>
    made
      .addOption(uploadOption())
      .argument("<version>", "a kept version (see `govdata status`), or `previous`")
      .addOption(allowOption("roll back even if these gates refuse", ["clock", "signature"]))
      .addOption(publicKeyOption("keys that may have signed it, besides the home's own")),
  async run(context: CommandContext, version: string, flags: RollbackFlags) {
    const options = {
      version,
      allowsClock: flags.allow.includes("clock"),
      allowsUnsigned: flags.allow.includes("signature"),
      publicKeys: publicKeysOf(context.environment, flags),
    };
    const { runRollback } = await import("../../upkeep/versions.ts");
    return publishing(context, flags, () => runRollback(context.settings, options, context.effects));
  },
  text: ({ version, sequence, replaces, asOf, uploaded }) =>
    `published ${version} (sequence ${sequence}): version ${replaces} again, as of ${asOf}\n${formatUploaded(uploaded)}`,
  exit: ({ uploaded }) => publishedExit(uploaded),
});
