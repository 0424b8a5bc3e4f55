// Builds after `npm ci` and `npm install`. `npx baton` in the checkout runs this too, since npm links the package into a
// cache first; what is installed is built already, and a second build would only make the command slow.
if (process.env.npm_command !== 'exec') require('./build.js');
