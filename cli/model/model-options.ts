import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { readModelsFile } from '../../definitions/model/read-models';
import { firstIssue, InvalidInputError, parseStrictJson } from '../../domain/kernel';
import { configuredPrice, type ModelCatalog, type Price, priceSchema, type PriceTable } from '../../domain/model';
import { formatDiagnostic } from '../../domain/skill';
import type { Settings } from '../../temporal-config/node/settings';
import { filledText } from '../options';
import { readInputFile } from '../read-input';

/** Options that tell what Baton does not know of models. */
export interface ModelFactsOptions {
  readonly models?: string;
  readonly price?: Price;
}

/** Adds the options that tell what Baton does not know of models. */
export function modelFactsOptions(command: Command): Command {
  return command
    .option(
      '--models <file>',
      'YAML or JSON file with context windows and prices of models (default: $BATON_MODELS; docs/models.md)',
      filledText,
    )
    .option(
      '--price <list>',
      'price of the model in US dollars per million tokens, such as input=3,output=15,cacheRead=0.3,cacheWrite=3.75',
      priceFrom,
    );
}

const priceNames = ['input', 'output', 'cacheRead', 'cacheWrite'];

/** Parses a price such as `input=3,output=15`. The prices of the cache may be omitted. */
function priceFrom(text: string): Price {
  const parts = text.split(',').map((part) => part.split('='));
  const known = parts.every(([name = '', value = '', ...more]) => {
    return priceNames.includes(name.trim()) && value.trim() !== '' && more.length === 0;
  });
  const entries = parts.map(([name = '', value]) => [name.trim(), Number(value)] as const);
  const given = priceSchema
    .partial({ cacheRead: true, cacheWrite: true })
    .safeParse(known && new Set(entries.map(([name]) => name)).size === entries.length && Object.fromEntries(entries));
  if (given.success) return configuredPrice(given.data);
  throw new InvalidArgumentError(
    'Must be prices such as input=3,output=15, optionally with cacheRead=0.3 and cacheWrite=3.75.',
  );
}

/** Parses names of models, separated by commas. */
export function modelNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('Must be names of models, separated by commas.');
  return names;
}

/** Reads the models file that an option or a variable names; undefined when none does. */
export async function modelsFrom(
  { models: option }: ModelFactsOptions,
  { modelsFile }: Pick<Settings, 'modelsFile'>,
): Promise<ModelCatalog | undefined> {
  const path = option ?? modelsFile;
  if (path === undefined) return undefined;
  const read = await readModelsFile(path);
  if ('models' in read) return read.models;
  const errors = read.errors.map(formatDiagnostic).join('; ');
  const field = option === undefined ? 'BATON_MODELS' : '--models';
  throw new InvalidInputError(field, errors, 'Correct the file; docs/models.md describes its format.');
}

/** Reads a price list; undefined when there is none. `price` is that of one more model. */
export async function pricesFrom(
  path: string | undefined,
  price: { readonly model: string; readonly price: Price | undefined },
): Promise<PriceTable | undefined> {
  const listed = path === undefined ? undefined : await readPrices(path);
  return price.price === undefined ? listed : { ...listed, [price.model]: price.price };
}

async function readPrices(path: string): Promise<PriceTable> {
  const remedy =
    'Pass a JSON file such as {"my-model": {"input": 3, "cacheRead": 0.3, "cacheWrite": 3.75, "output": 15}}.';
  const bytes = await readInputFile(path).catch((error: unknown) => {
    throw new InvalidInputError('--prices', `"${path}" can't be read (${(error as Error).message})`, remedy);
  });
  let value: unknown;
  try {
    value = parseStrictJson(bytes.toString('utf8'));
  } catch (error) {
    throw new InvalidInputError('--prices', `"${path}" is not valid JSON (${(error as Error).message})`, remedy);
  }
  const parsed = z.record(z.string(), priceSchema).safeParse(value);
  if (parsed.success) return parsed.data;
  const { field, reason } = firstIssue(parsed.error, 'the top level');
  throw new InvalidInputError('--prices', `"${path}" is invalid at ${field}: ${reason}`, remedy);
}
