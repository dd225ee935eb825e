// Messages: JSON-RPC 2.0 in strict JSON.

import { ProtocolError } from './errors.js';

/** The protocol version that this package implements. */
export const PROTOCOL = 1;

const DEEPEST = 32;
const LONGEST_TEXT = 4096;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns the JSON of a message. Throws `TypeError` if the supervisor couldn't read it: it would answer with a null id, so the request or
 * the run would stay without an answer.
 */
export function encode(message) {
  const json = JSON.stringify({ jsonrpc: '2.0', ...message });
  requireStrict(json);
  return json;
}

/**
 * Returns the message in `payload`: `{ kind, id, method, params, result, error }`; `kind` is `request`, `notification` or `answer`.
 * Throws `ProtocolError`.
 */
export function decode(payload) {
  let value;
  try {
    value = JSON.parse(utf8.decode(payload));
  } catch (error) {
    throw new ProtocolError(`cannot read a message: ${error.message}`, { cause: error });
  }
  if (!isObject(value) || value.jsonrpc !== '2.0') throw new ProtocolError('cannot read a message: it is not an object of JSON-RPC 2.0');
  const { id, method, params = {}, result, error } = value;
  if (typeof method === 'string') {
    if (!isObject(params)) throw new ProtocolError(`cannot read ${method}: its params are not an object`);
    if (id === undefined) return { kind: 'notification', method, params };
    if (isId(id)) return { kind: 'request', id, method, params };
  } else if (method === undefined && (id === null || isId(id)) && (result === undefined) !== (error === undefined)) {
    return { kind: 'answer', id, result, error };
  }
  throw new ProtocolError('cannot read a message: it is neither a request, nor a notification, nor an answer');
}

/** Returns `text` as a message for people: not too long, and without unpaired surrogates, e.g. from an emoji that was cut in half. */
export function readable(text) {
  return Buffer.from(String(text).slice(0, LONGEST_TEXT)).toString();
}

/** Finds JSON that JSON.stringify writes and the supervisor refuses: deep nesting, and escapes \ud… for unpaired surrogates. */
function requireStrict(json) {
  let level = 0;
  let isText = false;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (character === '"') {
      isText = !isText;
    } else if (character === '\\') {
      if (json.startsWith('ud', index + 1)) throw new TypeError('cannot send a text with an unpaired surrogate: it is not Unicode');
      index += 1;
    } else if (!isText && (character === '{' || character === '[')) {
      level += 1;
      if (level > DEEPEST) throw new TypeError(`cannot send a value that is nested more than ${DEEPEST} levels deep: use fewer levels`);
    } else if (!isText && (character === '}' || character === ']')) {
      level -= 1;
    }
  }
}

function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function isId(id) {
  return Number.isSafeInteger(id) || typeof id === 'string';
}
