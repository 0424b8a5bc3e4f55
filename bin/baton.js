#!/usr/bin/env node
require('../dist/client/main.js');
