// heed serve as a child that ends with the test.

import { spawn } from "node:child_process";

// Resolves to the address it listens on.
export function serve(heed, models, runs) {
  const child = spawn(heed, ["serve", "--port", "0", ...models.flatMap(m => ["-m", m]), "--runs", runs], { stdio: ["ignore", "pipe", "pipe"] });
  process.on("exit", () => child.kill());
  return new Promise((resolve, reject) => {
    let told = "";
    const hear = chunk => {
      told += chunk;
      const address = told.match(/http:\/\/127\.0\.0\.1:\d+\/?/);
      if (address) resolve({ address: address[0].replace(/\/?$/, "/"), stop: () => stop(child) });
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", code => reject(new Error(`heed serve ended with ${code}: ${told}`)));
    setTimeout(() => reject(new Error(`heed serve told no address: ${told}`)), 30000).unref();
  });
}

function stop(child) {
  child.removeAllListeners("exit");
  return new Promise(resolve => {
    child.on("exit", resolve);
    child.kill("SIGTERM");
    setTimeout(() => child.kill("SIGKILL"), 5000).unref();
  });
}
