import { runCommand } from './run-command';

const noNews = '--ui-disable-news-fetch';

/**
 * Returns the option that stops the Web UI from fetching news from the internet with every page. Checks first that the
 * CLI has the option, because an older CLI would exit on an unknown one.
 */
export async function newsFeedOff(binary: string): Promise<string[]> {
  const help = await runCommand(binary, ['help', 'server', 'start-dev'], { timeoutMs: 5_000 }).catch(() => '');
  return help.includes(noNews) ? [noNews] : [];
}
