"""Small valid runs to read, check and break."""

import json

from sidelight.tracks import load_track

TRACK = load_track()
TASK1, TASK2 = TRACK.question_list, TRACK.cited_text
TOPICS = TRACK.topic_ids

RUN_ID = "lamp-extractive"


def task1_rows(topic_ids=TOPICS):
    return [
        [topic_id, "lamp", RUN_ID, str(rank), f"Who paid for study {rank} of topic {number}?"]
        for number, topic_id in enumerate(topic_ids)
        for rank in range(1, 11)
    ]


def task1_bytes(rows):
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def task2_objects(topic_ids=TOPICS):
    return [
        {
            "metadata": {
                "team_id": "lamp",
                "run_id": RUN_ID,
                "topic_id": topic_id,
                "type": "automatic",
                "use_starter_kit": 0,
            },
            "responses": [
                {
                    "text": f"The paper of topic {number} belongs to a trust.",
                    "citations": [
                        f"msmarco_v2.1_doc_61_{number}#2_100",
                        f"msmarco_v2.1_doc_61_{number}#5_250",
                    ],
                },
                {
                    "text": "Its owner has funded the campaign since 2011.",
                    "citations": [f"msmarco_v2.1_doc_62_{number}#0_7"],
                },
            ],
        }
        for number, topic_id in enumerate(topic_ids)
    ]


def task2_bytes(objects):
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in objects).encode()


def write_task1(folder, rows):
    path = folder / RUN_ID
    path.write_bytes(task1_bytes(rows))
    return path


def write_task2(folder, objects):
    path = folder / RUN_ID
    path.write_bytes(task2_bytes(objects))
    return path
