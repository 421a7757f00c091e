/** Finds a model by `PROVIDER/MODEL`. Owns names, addresses and keys; each kind of provider is loaded only when it is used. */
import type { LanguageModelV3, SharedV3ProviderOptions } from "@ai-sdk/provider";
import { type Json, ToolFailure } from "../../contract/index.ts";
import type { TextDialect } from "../../dialect/index.ts";
import { type AiSdkModel, aiSdkModel } from "./ai-sdk.ts";
import { dialectModel } from "./dialect-model.ts";
import type { Model, Price } from "./model.ts";
import { type RecordFile, recording, replayed } from "./recording.ts";
import { readScript, scriptedModel } from "./scripted.ts";

interface ModelSettings {
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly price?: Price | undefined;
  readonly options?: Readonly<Record<string, Json>> | undefined;
  readonly dialect?: TextDialect | undefined;
}

/** A provider as the config has it. */
interface ProviderSettings {
  readonly type?: "anthropic" | "openai" | "openai-compatible" | "ai-sdk" | undefined;
  readonly package?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly idleTimeoutMs?: number | undefined;
  readonly models?: Readonly<Record<string, ModelSettings>> | undefined;
}

interface OpenModelOptions {
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Throws a `ToolFailure` if there is no such file. */
  readText(path: string): Promise<string>;
  /** Keeps the answers in a file. */
  readonly record?: RecordFile;
  /** A package that the person installed. Throws a `ToolFailure` if it is not there. */
  importPackage(name: string): Promise<Readonly<Record<string, unknown>>>;
}

const defaultIdleMs = 120_000;
/** Known without a config. */
const ownProviders = ["anthropic", "openai"];
/** Of a Claude model that the SDK does not know it would ask for 4,096. */
const claudeOutputTokens = 32_000;
const ephemeral: SharedV3ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

export async function openModel(id: string, options: OpenModelOptions): Promise<Model> {
  const slash = id.indexOf("/");
  const [provider, name] = [id.slice(0, Math.max(0, slash)), id.slice(slash + 1)];
  if (slash <= 0 || name === "") throw badModel(id, options.providers);
  const model = await found(id, provider, name, options);
  return options.record === undefined ? model : recording(model, options.record);
}

async function found(id: string, provider: string, name: string, options: OpenModelOptions): Promise<Model> {
  const settings = options.providers[provider] ?? {};
  const own = settings.models?.[name] ?? {};
  const known = {
    ...(own.contextWindow === undefined ? {} : { contextWindow: own.contextWindow }),
    ...(own.maxOutputTokens === undefined ? {} : { maxOutputTokens: own.maxOutputTokens }),
    ...(own.price === undefined ? {} : { price: own.price }),
  };
  if (provider === "scripted") return { ...scriptedModel(id, readScript(await options.readText(name), name)), ...known };
  if (provider === "replay") return { ...replayed(id, await options.readText(name), name), ...known };
  const model = aiSdkModel({
    ...(await kindOf(id, provider, name, withEnvironment(provider, settings, options.env), own, options)),
    id,
    idleTimeoutMs: settings.idleTimeoutMs ?? defaultIdleMs,
    ...known,
  });
  return own.dialect === undefined ? model : dialectModel(model, own.dialect);
}

type Kind = Pick<AiSdkModel, "make" | "form" | "endMark" | "providerOptions" | "outputTokens">;

async function kindOf(
  id: string,
  provider: string,
  name: string,
  settings: ProviderSettings,
  own: ModelSettings,
  options: OpenModelOptions,
): Promise<Kind> {
  const { apiKey, headers } = settings;
  const baseURL = settings.baseUrl === undefined ? undefined : versioned(settings.baseUrl);
  const common = { ...(baseURL && { baseURL }), ...(headers && { headers }) };
  const given = (...names: string[]) => (own.options === undefined ? {} : { providerOptions: keyed(own.options, names) });
  const tokens = own.maxOutputTokens === undefined ? {} : { outputTokens: own.maxOutputTokens };
  switch (settings.type ?? provider) {
    case "anthropic": {
      const key = apiKey ?? keyless(baseURL, provider, "ANTHROPIC_API_KEY");
      const make = async (watched: typeof fetch): Promise<LanguageModelV3> => {
        const { createAnthropic } = await import("@ai-sdk/anthropic");
        return createAnthropic({ ...common, apiKey: key, fetch: watched })(name);
      };
      const outputTokens = Math.max(1, (own.maxOutputTokens ?? claudeOutputTokens) - thinkingBudget(own.options));
      return { make, form: { images: "result", cacheMark: ephemeral }, outputTokens, ...given("anthropic") };
    }
    case "openai": {
      const key = apiKey ?? keyless(baseURL, provider, "OPENAI_API_KEY");
      const isOpenAi = baseURL === undefined || new URL(baseURL).hostname === "api.openai.com";
      const make = async (watched: typeof fetch): Promise<LanguageModelV3> => {
        const { createOpenAI } = await import("@ai-sdk/openai");
        const openai = createOpenAI({ ...common, apiKey: key, fetch: watched });
        return isOpenAi ? openai.responses(name) : openai.chat(name);
      };
      if (!isOpenAi) return { make, form: { images: "user" }, endMark: chatEnd, ...tokens, ...given("openai") };
      // The conversation is here: nothing of it has to be kept there, and thoughts come back sealed.
      const providerOptions = keyed({ store: false, ...own.options }, ["openai"]);
      return { make, form: { images: "user" }, endMark: responsesEnd, ...tokens, providerOptions };
    }
    case "openai-compatible": {
      if (baseURL === undefined) throw badProvider(provider, "needs a baseUrl");
      const make = async (watched: typeof fetch): Promise<LanguageModelV3> => {
        const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
        const made = createOpenAICompatible({
          ...common,
          baseURL,
          name: provider,
          includeUsage: true,
          fetch: watched,
          ...(apiKey && { apiKey }),
        });
        return made.chatModel(name);
      };
      return { make, form: { images: "user" }, endMark: chatEnd, ...tokens, ...given(provider, "openaiCompatible") };
    }
    case "ai-sdk": {
      if (settings.package === undefined) throw badProvider(provider, "needs a package");
      const create = creatorOf(await options.importPackage(settings.package), settings.package);
      const make = (watched: typeof fetch) => create({ ...common, ...(apiKey && { apiKey }), name: provider, fetch: watched }, name);
      const made = make(fetch);
      if (!/^v[234]$/.test(String(made.specificationVersion)))
        throw badProvider(provider, `speaks an unknown specification (${made.specificationVersion})`);
      const [vendor = provider] = String(made.provider ?? provider).split(".", 1);
      return { make, form: { images: "user" }, ...tokens, ...given(provider, vendor) };
    }
    default:
      throw badModel(id, options.providers);
  }
}

const chatEnd = /^data: ?\[DONE\]/m;
const responsesEnd = /"type": ?"response\.(?:completed|incomplete|failed)"/;

/** The environment is above the config. */
function withEnvironment(provider: string, settings: ProviderSettings, env: OpenModelOptions["env"]): ProviderSettings {
  const prefix = { anthropic: "ANTHROPIC", openai: "OPENAI" }[provider];
  if (prefix === undefined) return settings;
  const baseUrl = env[`${prefix}_BASE_URL`] || settings.baseUrl;
  const apiKey = env[`${prefix}_API_KEY`] || settings.apiKey;
  return { ...settings, ...(baseUrl && { baseUrl }), ...(apiKey && { apiKey }) };
}

/** Addresses are written with and without the version. */
function versioned(baseUrl: string): string {
  const plain = baseUrl.replace(/\/+$/, "");
  return /\/v\d+\w*(?:\/|$)/.test(new URL(plain).pathname) ? plain : `${plain}/v1`;
}

/** A server of one's own may want no key; the vendor's does. */
function keyless(baseURL: string | undefined, provider: string, variable: string): string {
  if (baseURL !== undefined) return "none";
  throw badProvider(provider, `needs a key: set ${variable}, or providers.${provider}.apiKey in the config`);
}

/** The SDK adds it to the tokens of an answer, of which it is a part. */
function thinkingBudget(options: ModelSettings["options"]): number {
  const { thinking } = (options ?? {}) as { readonly thinking?: { readonly budgetTokens?: unknown } };
  return typeof thinking?.budgetTokens === "number" ? thinking.budgetTokens : 0;
}

function keyed(options: Readonly<Record<string, Json>>, names: readonly string[]): SharedV3ProviderOptions {
  return Object.fromEntries(names.map((name) => [name, options])) as SharedV3ProviderOptions;
}

type Provider = ((model: string) => LanguageModelV3) & { readonly languageModel?: (model: string) => LanguageModelV3 };

/** A package has a `createX` that makes a provider, or a provider itself. */
function creatorOf(module: Readonly<Record<string, unknown>>, name: string) {
  const entries = Object.entries({ ...module, ...(module.default as object | undefined) });
  const [, create] = entries.find(([key, value]) => /^create[A-Z]/.test(key) && typeof value === "function") ?? [];
  const [, ready] = entries.find(([, value]) => typeof (value as Provider | undefined)?.languageModel === "function") ?? [];
  if (create === undefined && ready === undefined) throw badProvider(name, "has no provider in it");
  return (settings: object, model: string): LanguageModelV3 => {
    const provider = (create === undefined ? ready : (create as (settings: object) => unknown)(settings)) as Provider;
    return provider.languageModel ? provider.languageModel(model) : provider(model);
  };
}

function badProvider(provider: string, why: string): ToolFailure {
  return new ToolFailure("invalid_tool_input", `The provider ${provider} ${why}.`, {
    hint: "docs/providers.md has a config block for each kind.",
    details: { reason: "bad_provider" },
  });
}

function badModel(id: string, providers: OpenModelOptions["providers"]): ToolFailure {
  const models = Object.entries(providers).flatMap(([provider, { models: own }]) =>
    Object.keys(own ?? {}).map((name) => `${provider}/${name}`),
  );
  const names = [...new Set([...ownProviders, ...Object.keys(providers)])].join(", ");
  return new ToolFailure("invalid_tool_input", `There is no model '${id}'.`, {
    hint: `A model is PROVIDER/MODEL, such as anthropic/claude-x. Providers: ${names}.${models.length === 0 ? "" : ` Models of the config: ${models.join(", ")}.`}`,
    details: { reason: "unknown_model" },
  });
}
