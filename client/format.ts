import { failureTypes, isFailureType, truncateText } from '../domain/kernel';
import { totalTokens, type Usage } from '../domain/model';

/** Formats an integer with separators: 12,345. */
export function formatCount(value: number): string {
  return value.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a number of things, with the plural in "s" unless it is one: 1 file, 2 files. */
export function plural(value: number, noun: string): string {
  return `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Formats a size in bytes with a binary unit: 1.5 KiB. */
export function formatBytes(value: number): string {
  if (value < 1024) return `${value} B`;
  if (value < 1024 * 1024) return `${(value / 1024).toFixed(1)} KiB`;
  if (value < 1024 ** 3) return `${(value / 1024 ** 2).toFixed(1)} MiB`;
  return `${(value / 1024 ** 3).toFixed(1)} GiB`;
}

/** Formats a duration: 1.5 s, 2 min 3 s, 4 h 5 min. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${(milliseconds / 1000).toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats a usage: the total, and the four parts of it. */
export function formatTokens(usage: Usage): string {
  const { input, cacheRead, cacheWrite, output } = usage;
  const parts = `input ${formatCount(input)}, cache read ${formatCount(cacheRead)}, cache write ${formatCount(cacheWrite)}, output ${formatCount(output)}`;
  return `${formatTotalTokens(usage)} (${parts})`;
}

/** Formats the total of a usage, and says so if it is an estimate because the provider reported no counts. */
export function formatTotalTokens(usage: Usage): string {
  return `${usage.estimated === true ? 'about ' : ''}${formatCount(totalTokens(usage))}`;
}

/** Formats a part of the context window, with its percentage. */
export function formatShare(part: number, whole: number): string {
  return `${formatCount(part)} of ${formatCount(whole)} tokens (${((part / whole) * 100).toFixed(part / whole < 0.1 ? 1 : 0)} %)`;
}

/** Formats a share between 0 and 1 as a percentage. Null, which is unknown, is a dash. */
export function formatPercent(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

/** Returns the first line of a text, truncated for a list. */
export function headline(text: string, width = 60): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return truncateText(line, width);
}

/** Formats untrusted text as one line. Removes control characters, so that model output can't move the cursor. */
export function oneLine(text: string, width = 160): string {
  return headline(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').replace(/ {2,}/g, ' '), width);
}

/** Formats a number of tokens in at most four characters and a unit: 950, 1.2k, 34k, 5.6M. */
export function formatCompact(tokens: number): string {
  if (tokens < 1_000) return `${tokens}`;
  if (tokens < 1_000_000) return `${(tokens / 1_000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** Returns the remedy of a failure type; undefined for types that are not Baton's and for those without a remedy. */
export function remedyFor(type: string): string | undefined {
  if (!isFailureType(type)) return undefined;
  const { remedy } = failureTypes[type];
  return remedy === 'None.' ? undefined : remedy;
}
