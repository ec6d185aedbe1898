import { describeAttacks } from "./describe-attacks.ts";

describeAttacks({ many: "snapshot.dcl.eth", few: "lido-snapshot.eth" });
