/** Sets many variables one by one, beside other processes that do the same. Arguments: home, prefix, count. */
import { openVault } from "./fixtures/open-vault.ts";

const [home = "", prefix = "", count = "0"] = process.argv.slice(2);
const vault = openVault(home);
for (let index = 0; index < Number(count); index++) {
  await vault.set({ name: `${prefix}_${index}`, value: `value-of-${prefix}-${index}`, scope: "global" }, { workspace: "/w" });
  process.stdout.write(`${index}\n`);
}
