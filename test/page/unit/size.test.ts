import { gzipSync } from 'node:zlib';
import { bundlePage } from '../../../scripts/build-page';

test('the page stays small: 75 kB of script and 90 kB in all, gzipped', async () => {
  const { page, script } = await bundlePage();
  expect(gzipSync(script).length).toBeLessThanOrEqual(75_000);
  expect(gzipSync(page).length).toBeLessThanOrEqual(90_000);
  expect(page).toContain('<!--policy-->');
  expect(page).toContain('<!--recording-->');
});
