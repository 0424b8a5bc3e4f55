// Builds after `npm ci` and `npm install`. `npx baton` in a checkout runs this script too, because npm links the package into
// a cache first. The checkout is built already, and another build would only delay the command.
if (process.env['npm_command'] !== 'exec') void import('./build.js');
