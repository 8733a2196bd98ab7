// heed serve, or a training that shows itself, as a child that ends with the test.

import { spawn } from "node:child_process";

export const serve = (heed, models, runs) => start(heed, ["serve", "--port", "0", ...models.flatMap(m => ["-m", m]), "--runs", runs]);

// Resolves to the address it listens on.
export function start(heed, options) {
  const child = spawn(heed, options, { stdio: ["ignore", "pipe", "pipe"] });
  process.on("exit", () => child.kill());
  return new Promise((resolve, reject) => {
    let told = "";
    const hear = chunk => {
      told += chunk;
      const address = told.match(/http:\/\/127\.0\.0\.1:\d+\/?/);
      if (address) resolve({ address: address[0].replace(/\/?$/, "/"), stop: signal => stop(child, signal) });
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", code => reject(new Error(`heed ${options[0]} ended with ${code}: ${told}`)));
    setTimeout(() => reject(new Error(`heed ${options[0]} told no address: ${told}`)), 30000).unref();
  });
}

function stop(child, signal = "SIGTERM") {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  child.removeAllListeners("exit");
  return new Promise(resolve => {
    child.on("exit", resolve);
    child.kill(signal);
    setTimeout(() => child.kill("SIGKILL"), 5000).unref();
  });
}
