import { gzipSync } from 'node:zlib';
import { bundlePage } from '../../../scripts/build-page';

test('the page stays small: 85 kB of script and 98 kB in all, gzipped', async () => {
  const { page, script } = await bundlePage();
  expect(gzipSync(script).length).toBeLessThanOrEqual(85_000);
  expect(gzipSync(page).length).toBeLessThanOrEqual(98_000);
  expect(page).toContain('<!--policy-->');
  expect(page).toContain('<!--recording-->');
});
