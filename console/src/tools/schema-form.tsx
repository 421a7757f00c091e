/** A form made from a tool's input schema: text that grows, menus for enums, switches, JSON for the rest. */
import { useSignal } from "@preact/signals";
import type { JsonObject } from "../../../src/contract/json.ts";
import { t } from "../words/words.ts";

export type Input = Readonly<Record<string, unknown>>;

interface Property {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
}

export function propertiesOf(
  schema: JsonObject,
): readonly { readonly name: string; readonly property: Property; readonly required: boolean }[] {
  const properties = (schema.properties ?? {}) as unknown as Readonly<Record<string, Property>>;
  const required = new Set(Array.isArray(schema.required) ? (schema.required as readonly string[]) : []);
  return Object.entries(properties)
    .map(([name, property]) => ({ name, property, required: required.has(name) }))
    .sort((a, b) => Number(b.required) - Number(a.required));
}

interface FormProps {
  readonly schema: JsonObject;
  readonly input: Input;
  readonly onChange: (input: Input) => void;
}

export function SchemaForm({ schema, input, onChange }: FormProps) {
  const set = (name: string, value: unknown): void => {
    const { [name]: _, ...rest } = input;
    onChange(value === undefined || value === "" ? rest : { ...rest, [name]: value });
  };
  return (
    <div class="stack gap-16">
      {propertiesOf(schema).map(({ name, property, required }) => (
        <Field key={name} name={name} property={property} required={required} value={input[name]} onChange={(value) => set(name, value)} />
      ))}
    </div>
  );
}

interface FieldProps {
  readonly name: string;
  readonly property: Property;
  readonly required: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function typeOf({ type, enum: choices }: Property): string {
  if (choices !== undefined) return "enum";
  return typeof type === "string" ? type : (type?.find((one) => one !== "null") ?? "json");
}

function Field({ name, property, required, value, onChange }: FieldProps) {
  const type = typeOf(property);
  const id = `field-${name}`;
  const told = `${type} · ${required ? t("required") : t("optional")}`;
  if (type === "boolean") {
    return (
      <label class="line s13" for={id}>
        <input
          id={id}
          class="switch"
          type="checkbox"
          role="switch"
          aria-checked={value === true}
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked ? true : undefined)}
        />
        <span class="medium">{name}</span>
        <span class="t3 s12">{told}</span>
      </label>
    );
  }
  return (
    <div class="field">
      <label for={id}>
        {name} <span class="t3 s12">{told}</span>
      </label>
      <Entry id={id} type={type} property={property} value={value} onChange={onChange} />
      {property.description === undefined ? null : <p class="t3 s12">{property.description.split(/(?<=\.)\s/, 1)[0]}</p>}
    </div>
  );
}

interface EntryProps {
  readonly id: string;
  readonly type: string;
  readonly property: Property;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Entry({ id, type, property, value, onChange }: EntryProps) {
  if (type === "enum") {
    return (
      <select class="input" id={id} value={String(value ?? "")} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">–</option>
        {property.enum?.map((one) => (
          <option key={String(one)} value={String(one)}>
            {String(one)}
          </option>
        ))}
      </select>
    );
  }
  if (type === "number" || type === "integer") {
    return (
      <input
        class="input mono"
        id={id}
        type="number"
        value={typeof value === "number" ? value : ""}
        onInput={({ currentTarget }) => onChange(currentTarget.value === "" ? undefined : Number(currentTarget.value))}
      />
    );
  }
  if (type === "string") {
    return (
      <textarea
        class="input mono"
        id={id}
        rows={1}
        spellcheck={false}
        value={typeof value === "string" ? value : ""}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  }
  return <JsonEntry id={id} value={value} onChange={onChange} />;
}

function JsonEntry({ id, value, onChange }: Pick<EntryProps, "id" | "value" | "onChange">) {
  const text = useSignal(value === undefined ? "" : JSON.stringify(value, null, 2));
  const problem = useSignal("");
  const read = (given: string): void => {
    text.value = given;
    try {
      onChange(given.trim() === "" ? undefined : JSON.parse(given));
      problem.value = "";
    } catch (error) {
      problem.value = t("notJson", { message: (error as Error).message });
    }
  };
  return (
    <>
      <textarea
        class="input mono"
        id={id}
        rows={3}
        spellcheck={false}
        aria-invalid={problem.value !== ""}
        value={text.value}
        onInput={({ currentTarget }) => read(currentTarget.value)}
      />
      {problem.value === "" ? null : <p class="minus s12">{problem.value}</p>}
    </>
  );
}
