"""Runs an agent of Baton: python run.py "List the licenses of all dependencies." """
import asyncio, os, sys, uuid
from temporalio.client import Client, WithStartWorkflowOperation
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy

QUEUE = os.environ.get("BATON_TASK_QUEUE", "baton")

async def read(client, run_id, of):  # a stored text, page by page: the store itself is not needed
    text, offset = "", 0
    while offset is not None:
        start = WithStartWorkflowOperation("textsWorkflow", id=f"texts/{run_id}", task_queue=QUEUE,
                                           id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING)
        page = await client.execute_update_with_start_workflow(
            "readText", {"of": of, "offset": offset}, start_workflow_operation=start)
        text, offset = text + page["text"], page["next"]
    return text

async def main(goal):
    client = await Client.connect(os.environ.get("TEMPORAL_ADDRESS", "localhost:7233"))
    run_id = f"py-{uuid.uuid4().hex[:8]}"
    run = await client.start_workflow("runWorkflow", {"goal": goal, "onFailure": "hold"}, id=f"run/{run_id}",
                                      task_queue=QUEUE, id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE)
    ended = asyncio.ensure_future(run.result())
    while not (await asyncio.wait([ended], timeout=0.5))[0]:
        status = await run.query("snapshot")
        print(f"turn {status['turn']}: {status['status']}", file=sys.stderr)
        for incident in status["incidents"]:  # the agent waits for a decision
            print(f"{incident['type']}: {incident['message']}", file=sys.stderr)
            await run.execute_update("operatorDecision", {"incident": incident["id"], "action": "retry"})
    answer = (await ended)["answer"]
    print(answer["text"] if "text" in answer else await read(client, run_id, answer["ref"]))

asyncio.run(main(sys.argv[1]))
