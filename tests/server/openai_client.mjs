// OpenAI's own client against a running server:
//
//   node openai_client.mjs http://127.0.0.1:8080
//
// The folder must have node_modules/openai; scripts/check-serve makes one.
import assert from "node:assert/strict";
import OpenAI from "openai";

const base = process.argv[2];
const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: "any", maxRetries: 0 });

const models = await client.models.list();
assert.ok(models.data.length > 0);
const model = models.data[0].id;
assert.equal((await client.models.retrieve(model)).id, model);

const request = { model, prompt: "the small", max_tokens: 12, temperature: 0.8, seed: 5, logprobs: 2 };
const whole = await client.completions.create(request);
assert.equal(whole.object, "text_completion");
assert.equal(whole.usage.total_tokens, whole.usage.prompt_tokens + whole.usage.completion_tokens);
assert.equal(whole.choices[0].logprobs.tokens.length, whole.choices[0].logprobs.token_logprobs.length);

const several = await client.completions.create({ ...request, n: 3, prompt: ["a", "b"], logprobs: undefined });
assert.equal(several.choices.length, 6);

let text = "";
let usage;
const stream = await client.completions.create({ ...request, stream: true, stream_options: { include_usage: true } });
for await (const chunk of stream) {
  if (chunk.choices.length > 0) text += chunk.choices[0].text;
  usage = chunk.usage ?? usage;
}
assert.equal(text, whole.choices[0].text);
assert.deepEqual(usage, whole.usage);

const vectors = await client.embeddings.create({ model, input: ["one", "two"], encoding_format: "float" });
const packed = await client.embeddings.create({ model, input: ["one", "two"] }); // base64 inside
assert.equal(vectors.data.length, 2);
assert.deepEqual(packed.data[1].embedding.length, vectors.data[1].embedding.length);

await assert.rejects(client.models.retrieve("no such model"), (error) => error instanceof OpenAI.NotFoundError);
await assert.rejects(client.completions.create({ ...request, n: 0 }), (error) => error instanceof OpenAI.BadRequestError && error.param === "n");

const messages = [{ role: "user", content: "hello" }];
try {
  const chat = await client.chat.completions.create({ model, messages, max_tokens: 8, seed: 1 });
  assert.equal(chat.choices[0].message.role, "assistant");
  let answer = "";
  for await (const chunk of await client.chat.completions.create({ model, messages, max_tokens: 8, seed: 1, stream: true })) {
    answer += chunk.choices[0]?.delta?.content ?? "";
  }
  assert.equal(answer, chat.choices[0].message.content);
} catch (error) {
  assert.equal(error.code, "no_dialogue_template", String(error));
}

const abort = new AbortController();
const left = await client.completions.create({ ...request, max_tokens: 2000, stream: true }, { signal: abort.signal });
for await (const _ of left) {
  abort.abort();
  break;
}
console.log("OpenAI's client: all as expected");
