import { artifact as artifactDecoder } from "../../src/artifact/compiled.js";
import { type Decoder, formOf } from "../../src/base/decoder.js";

/** The name of every object of the compiled form: the first place where it is met. */
const names = new Map<Decoder<unknown>, string>();

function enter(decoder: Decoder<unknown>, where: string): void {
  const form = formOf(decoder);
  if (form === undefined || names.has(decoder)) return;
  names.set(decoder, where);
  switch (form.kind) {
    case "object":
      for (const [name, field] of Object.entries(form.fields)) enter(field, `${where}.${name}`);
      return;
    case "tagged":
      for (const [name, variant] of form.variants) enter(variant, `${where}(${name})`);
      return;
    case "list":
      enter(form.item, `${where}[]`);
      return;
    case "either":
      for (const each of form.decoders) enter(each, where);
      return;
    case "lazy":
      enter(form.make(), where);
  }
}

enter(artifactDecoder, "artifact");

/** Every field that a compiled artifact can have. */
export const ALL_FIELDS: readonly string[] = [...names].flatMap(([decoder, name]) => {
  const form = formOf(decoder);
  return form?.kind === "object" ? Object.keys(form.fields).map((field) => `${name}.${field}`) : [];
});

/** The fields that were read of watched artifacts. */
export const fieldsRead = new Set<string>();

/**
 * An object that notes which of its fields are read by name. Walking over all fields, as for a copy or a hash, does not count:
 * it enforces nothing. Such a walk asks for the descriptor of a field before it reads it.
 */
function watchedObject(fields: object, name: string): object {
  const walked = new Set<string | symbol>();
  return new Proxy(fields, {
    getOwnPropertyDescriptor(target, key) {
      walked.add(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    get(target, key, receiver) {
      if (!walked.delete(key)) fieldsRead.add(`${name}.${String(key)}`);
      return Reflect.get(target, key, receiver);
    },
  });
}

function accepts(decoder: Decoder<unknown>, value: unknown): boolean {
  try {
    decoder(value, "");
    return true;
  } catch {
    return false;
  }
}

function variantOf(variants: ReadonlyMap<string, Decoder<unknown>>, tag: string, value: object) {
  const found = Object.entries(value).find(([key]) => key === tag)?.[1];
  return variants.get(String(found));
}

/** A part of an artifact whose reads are noted. */
function watchedPart(value: unknown, decoder: Decoder<unknown>): unknown {
  const form = formOf(decoder);
  if (form === undefined || typeof value !== "object" || value === null) return value;
  switch (form.kind) {
    case "list":
      return Array.isArray(value) ? value.map((item) => watchedPart(item, form.item)) : value;
    case "either": {
      const fitting = form.decoders.find((each) => accepts(each, value));
      return fitting === undefined ? value : watchedPart(value, fitting);
    }
    case "lazy":
      return watchedPart(value, form.make());
    case "tagged": {
      const variant = variantOf(form.variants, form.tag, value);
      return variant === undefined ? value : watchedPart(value, variant);
    }
    case "object": {
      const { fields } = form;
      const parts = Object.entries(value).map(([key, part]) => {
        const field = fields[key];
        return [key, field === undefined ? part : watchedPart(part, field)];
      });
      return watchedObject(Object.fromEntries(parts), names.get(decoder) ?? "?");
    }
  }
}

const watched = new WeakMap<object, unknown>();

/** The same artifact, with the reads of its fields noted in `fieldsRead`; one for each, as guards share what they prepare. */
export function watchedArtifact<T extends object>(artifact: T): T {
  const known = watched.get(artifact) ?? watchedPart(artifact, artifactDecoder);
  watched.set(artifact, known);
  return known as T; // the same fields, behind a proxy
}
