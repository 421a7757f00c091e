/**
 * fast-check as the tests use it. `npm test` tries the same cases each time, so that it fails only if the code changed;
 * `npm run test:full` tries others at each run, and names the seed of a failure.
 */
import fc from "fast-check";

if (process.env.KARYI_FULL !== "1") fc.configureGlobal({ seed: 20_240_229 });

export default fc;
