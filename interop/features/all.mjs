// Every feature, in the order in which the drivers run them.

import connection from './connection.mjs';
import tools from './tools.mjs';
import calls from './calls.mjs';
import prompts from './prompts.mjs';
import completion from './completion.mjs';
import resources from './resources.mjs';
import changes from './changes.mjs';
import logging from './logging.mjs';
import roots from './roots.mjs';
import sampling from './sampling.mjs';
import elicitation from './elicitation.mjs';
import inputRequired from './input-required.mjs';
import caching from './caching.mjs';
import closing from './closing.mjs';

export const features = [
  connection,
  tools,
  calls,
  prompts,
  completion,
  resources,
  changes,
  logging,
  roots,
  sampling,
  elicitation,
  inputRequired,
  caching,
  closing,
].flat();
