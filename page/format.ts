// Numbers, durations and times as the page writes them. An unknown value is a dash, never a zero.
import type { Usage } from '../domain/model';

const unknown = '–';

/** Formats an integer with separators: 12,345. */
export function formatCount(value: number): string {
  return value.toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a number of things: 1 agent, 2 agents. */
export function plural(value: number, noun: string, many = `${noun}s`): string {
  return `${formatCount(value)} ${value === 1 ? noun : many}`;
}

/** Formats a number of tokens: 950, 1.9k, 240k, 2.1M. */
export function formatTokens(value: number | null): string {
  if (value === null) return unknown;
  if (value < 1_000) return `${value}`;
  if (value < 999_500) return `${(value / 1_000).toFixed(value < 9_950 ? 1 : 0)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/** Formats a number of tokens for a screen reader: 24 thousand tokens. */
export function spokenTokens(value: number): string {
  if (value < 1_000) return plural(value, 'token');
  if (value < 999_500) return `${Math.round(value / 1_000)} thousand tokens`;
  return `${(value / 1_000_000).toFixed(1)} million tokens`;
}

/** Number of all tokens of a usage. */
export function totalTokens({ input, cacheRead, cacheWrite, output }: Usage): number {
  return input + cacheRead + cacheWrite + output;
}

/** The four parts of a usage, for a tooltip. */
export function describeUsage(usage: Usage): string {
  const parts = [
    `input ${formatCount(usage.input)}`,
    `cache read ${formatCount(usage.cacheRead)}`,
    `cache write ${formatCount(usage.cacheWrite)}`,
    `output ${formatCount(usage.output)}`,
  ];
  const about = usage.estimated === true ? 'about ' : '';
  return `${about}${formatCount(totalTokens(usage))} tokens: ${parts.join(', ')}`;
}

/** Formats an amount in millionths of a US dollar as the command line does. Null is an amount without a known price. */
export function formatUsd(microUsd: number | null): string {
  if (microUsd === null) return 'no price';
  if (microUsd > 0 && microUsd < 50) return 'less than $0.0001';
  const decimals = microUsd === 0 || microUsd >= 10_000_000 ? 2 : microUsd >= 10_000 ? 3 : 4;
  return `$${(microUsd / 1_000_000).toFixed(decimals)}`;
}

/** Formats a size in bytes with a binary unit: 1.5 KiB. */
export function formatBytes(value: number): string {
  if (value < 1024) return `${value} B`;
  if (value < 1024 ** 2) return `${(value / 1024).toFixed(1)} KiB`;
  if (value < 1024 ** 3) return `${(value / 1024 ** 2).toFixed(1)} MiB`;
  return `${(value / 1024 ** 3).toFixed(1)} GiB`;
}

/** Formats a duration in milliseconds: 420 ms, 8.4 s, 3 min 12 s, 2 h 5 min, 3 d 4 h. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.max(0, Math.round(milliseconds))} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 3_600) return twoUnits(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1_440) return twoUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.floor(minutes / 60);
  return twoUnits(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** Formats a duration that changes while it is read: whole seconds, and only the larger unit from a minute on. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  return formatDuration(Math.floor(seconds / 60) * 60_000);
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (value: number): string => value.toString().padStart(2, '0');
const hourAndMinute = (date: Date): string => `${two(date.getHours())}:${two(date.getMinutes())}`;

/** Formats a time of day with seconds, local: 14:03:22. */
export function formatClock(at: number): string {
  const date = new Date(at);
  return `${hourAndMinute(date)}:${two(date.getSeconds())}`;
}

/** Formats a time for a list: 14:03 today, `yesterday`, 12 Nov, 12 Nov 2025. */
export function formatDay(at: number, now: number): string {
  const [date, today] = [new Date(at), new Date(now)];
  const days = Math.round((startOfDay(today) - startOfDay(date)) / 86_400_000);
  if (days === 0) return hourAndMinute(date);
  if (days === 1) return 'yesterday';
  const day = `${date.getDate()} ${months[date.getMonth()] ?? ''}`;
  return date.getFullYear() === today.getFullYear() ? day : `${day} ${date.getFullYear()}`;
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** Formats a time with everything, local and in UTC: 2026-11-16 14:03:22.412 (13:03:22Z). */
export function formatFullTime(at: number): string {
  const date = new Date(at);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const milliseconds = date.getMilliseconds().toString().padStart(3, '0');
  return `${day} ${formatClock(at)}.${milliseconds} (${date.toISOString().slice(11, 19)}Z)`;
}

/** Cuts an id to its first 8 letters. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}

/** Cuts a text at its end to this many characters. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
