import { runCommand } from './run-command';

const noNews = '--ui-disable-news-fetch';

/**
 * The Web UI would otherwise fetch news from the internet with every page. Asked for rather than assumed: an option that an
 * older CLI does not know ends it.
 */
export async function withoutNews(binary: string): Promise<string[]> {
  const help = await runCommand(binary, ['help', 'server', 'start-dev'], { timeoutMs: 5_000 }).catch(() => '');
  return help.includes(noNews) ? [noNews] : [];
}
