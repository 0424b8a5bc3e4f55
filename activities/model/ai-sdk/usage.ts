import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import { noUsage, type Usage } from '../../../domain/model';
import { countIn } from '../read-usage';

/**
 * Reads token counts. If one of the counts of the prompt is missing or not a count, all of them are zero, which tells the
 * engine to estimate them. The cached tokens are part of the interface's total.
 */
export function toUsage(reported: LanguageModelV3Usage | undefined): Usage {
  const { total, noCache, cacheRead, cacheWrite } = reported?.inputTokens ?? {};
  const read = countIn(cacheRead);
  const written = countIn(cacheWrite);
  const input = countIn(noCache ?? (total ?? 0) - (read ?? 0) - (written ?? 0));
  const output = countIn(reported?.outputTokens.total) ?? 0;
  if (input === undefined || read === undefined || written === undefined) return { ...noUsage, output };
  return { input, cacheRead: read, cacheWrite: written, output };
}
