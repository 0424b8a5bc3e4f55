import { openerFor, redirectPage } from '../../../cli/ui/open-browser';

test('a browser is opened only where there is a desktop', () => {
  expect(openerFor('linux', {})).toBeUndefined();
  expect(openerFor('linux', { DISPLAY: ':0' })).toEqual(['xdg-open']);
  expect(openerFor('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toEqual(['xdg-open']);
  expect(openerFor('darwin', {})).toEqual(['open']);
  expect(openerFor('darwin', { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' })).toBeUndefined();
});

test('the redirect cannot be broken out of', () => {
  const page = redirectPage('http://127.0.0.1:7420/#/r/"><script>?k=a&b');
  expect(page).toContain('url=http://127.0.0.1:7420/#/r/&quot;>&lt;script>?k=a&amp;b');
  expect(page).not.toContain('<script');
});
