/** The vault of a home: its file, and where its key comes from. */
import { createKeychain, createVaultFiles, createVaultKeyFile } from "../host/index.ts";
import { createVault, type Vault } from "../vault/index.ts";

export function openVault(home: string, env: Readonly<Record<string, string | undefined>>): Vault {
  const given = env.KARYI_VAULT_KEY;
  const keychain = createKeychain({ home, env });
  return createVault({
    files: createVaultFiles(home),
    key: { file: createVaultKeyFile(home), ...(keychain === undefined ? {} : { keychain }), ...(given === undefined ? {} : { given }) },
    now: Date.now,
  });
}
