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

/** How times are shown: now, in milliseconds since 1970, and whether in UTC instead of the local time. */
export interface TimeStyle {
  readonly now: number;
  readonly utc?: boolean;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats a time: 14:03, 16 Nov 14:03 or 16 Nov 2025 in local time, the shortest that is clear; in UTC as ISO 8601. */
export function formatTime(at: number, { now, utc = false }: TimeStyle): string {
  const time = new Date(at);
  if (utc) return time.toISOString();
  const today = new Date(now);
  const clock = `${twoDigits(time.getHours())}:${twoDigits(time.getMinutes())}`;
  if (time.toDateString() === today.toDateString()) return clock;
  const day = `${time.getDate()} ${months[time.getMonth()] ?? ''}`;
  return time.getFullYear() === today.getFullYear() ? `${day} ${clock}` : `${day} ${time.getFullYear()}`;
}

function twoDigits(value: number): string {
  return `${value}`.padStart(2, '0');
}

/** Formats how long ago a time was, in one unit: just now, 40 s ago, 3 min ago, 2 h ago, 5 days ago; in 3 min. */
export function formatAgo(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < 5_000) return 'just now';
  const text = inOneUnit(distance);
  return at > now ? `in ${text}` : `${text} ago`;
}

function inOneUnit(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return `${Math.floor(milliseconds / 1_000)} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : plural(Math.floor(hours / 24), 'day');
}

/** Formats a time and how long ago it was: 14:03 (3 min ago); in UTC only the time. */
export function formatMoment(at: number, style: TimeStyle): string {
  const time = formatTime(at, style);
  return style.utc === true ? time : `${time} (${formatAgo(at, style.now)})`;
}

/** Rewrites the times of a sentence that follow `since`, `at` or `until`. */
export function withReadableTimes(text: string, style: TimeStyle): string {
  const times = /\b(since|at|until) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/g;
  return text.replace(times, (_, word: string, at: string) => `${word} ${formatMoment(Date.parse(at), style)}`);
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
