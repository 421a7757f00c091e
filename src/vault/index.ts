/** Secure variables and masking (V1–V4): values are used by name, kept encrypted, and masked in everything that leaves. */
export { createMasker, type VaultMasker } from "./mask/masker.ts";
export { createValueRequests } from "./value-requests.ts";
export { createVault, type Vault, type VaultPlace } from "./vault.ts";
